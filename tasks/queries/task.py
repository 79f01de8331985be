"""One task whole, for whoever is in its room."""

from __future__ import annotations

from agentroom.core.clock import db_now
from agentroom.core.errors import NotFound
from agentroom.core.limits import KIB
from agentroom.core.pages import fitted
from identity.actors import Actor
from rooms.access import rooms_of, standing_in
from tasks.access import PEOPLE, refuse_unknown
from tasks.board import contacts_in
from tasks.dependencies import prerequisites_of
from tasks.lifecycle import OPEN
from tasks.models import Task, TaskRecord
from tasks.outputs import Record, TaskView
from tasks.projection import NOBODY, staleness
from tasks.views import record_of, view_of

RECORDS_SHOWN = 20
RECORDS_BYTES = 16 * KIB


def task_of(actor: Actor, task_id: str) -> TaskView:
    """The task with its newest records, archived or not. Raises `NotFound` when it is not in a room of the caller."""
    visible = Task.objects.filter(pk=task_id, room__in=rooms_of(actor))
    task = visible.select_related(*PEOPLE).first() or refuse_unknown()
    contacts = contacts_in(task.room_id) if task.assignee_id is not None and task.status in OPEN else {}
    stale = staleness(task, db_now(), contacts.get(task.assignee_id or "", NOBODY))
    return view_of(task, prerequisites_of(task_id), actor, stale, _records(task_id))


def task_in(actor: Actor, room_id: str, task_id: str) -> TaskView:
    """As `task_of`, for a caller who names the room too."""
    standing_in(actor, room_id)
    task = task_of(actor, task_id)
    if task.room != room_id:
        raise NotFound("This room has no such task. `read_board` shows its tasks.")
    return task


def _records(task_id: str) -> list[Record]:
    """What was reported of the task, newest first."""
    records = TaskRecord.objects.filter(task_id=task_id).select_related("agent").order_by("-pk")
    return fitted([record_of(record, record.agent.plate) for record in records[:RECORDS_SHOWN]], budget=RECORDS_BYTES)
