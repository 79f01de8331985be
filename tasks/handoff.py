"""The letters of those who finished, byte for byte, to those who go on (seed 001, "Close-out and handoff")."""

from __future__ import annotations

from django.db.models import F

from identity.names import handle_of
from tasks.dependencies import Prerequisite
from tasks.lifecycle import Status
from tasks.models import Task, TaskRecord
from tasks.outputs import Note, Payload


def payload_of(task: Task, prerequisites: tuple[Prerequisite, ...]) -> Payload:
    """The task with the notes of every completed prerequisite whole: exempt from the cap on answers."""
    return Payload(
        task_id=task.pk,
        title=task.title,
        definition_of_done=task.definition_of_done,
        detail=task.detail or None,
        spec_ref=task.spec_ref or None,
        depends_on=[prerequisite.task_id for prerequisite in prerequisites],
        handoff_notes=_notes(prerequisites),
    )


def _notes(prerequisites: tuple[Prerequisite, ...]) -> list[Note]:
    done = [prerequisite.task_id for prerequisite in prerequisites if prerequisite.is_met]
    if not done:
        return []
    records = TaskRecord.objects.filter(task_id__in=done, status=Status.DONE)
    columns = ("task_id", "task__title", "handoff_notes", "agent__name", "handle")
    rows = records.annotate(handle=F("agent__owner__handle")).values_list(*columns)
    letters = {
        task_id: Note(task_id=task_id, title=title, author=f"@{handle_of(name)}({handle})", notes=notes)
        for task_id, title, notes, name, handle in rows
    }
    return [letters[task_id] for task_id in done if task_id in letters]
