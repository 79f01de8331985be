"""Changing what a task says or waits for. Whom it belongs to is no edit."""

from __future__ import annotations

from collections.abc import Sequence
from datetime import datetime
from typing import Any

from agentroom.core import refs
from agentroom.core.errors import Conflict, Validation
from agentroom.core.operation import operation
from identity.actors import Actor
from rooms.models import MentionKind
from tasks import dependencies, history, leases, moves, policies, ringing
from tasks.access import Found, locked
from tasks.dependencies import Prerequisite, unmet
from tasks.lifecycle import WAITING
from tasks.models import Task
from tasks.outputs import TaskView
from tasks.views import view_of


@operation
def update_task(
    actor: Actor,
    *,
    task_id: str,
    title: str | None = None,
    detail: str | None = None,
    definition_of_done: str | None = None,
    order: int | None = None,
    depends_on: Sequence[str] | None = None,
    spec_ref: str | None = None,
    fence: int | None = None,
    expected_revision: int | None = None,
) -> TaskView:
    """Change the given fields of a task that has not ended, if it still stands at `expected_revision`."""
    asked: dict[str, Any] = {
        "title": title,
        "detail": detail,
        "definition_of_done": definition_of_done,
        "order": order,
        "spec_ref": spec_ref,
    }
    fields = {name: value for name, value in asked.items() if value is not None}
    found = _for_edit(actor, task_id, [*fields, *(["depends_on"] if depends_on is not None else [])], fence)
    moves.require_revision(found.task, expected_revision)
    if spec_ref is not None:
        fields["spec_ref"] = refs.resolve(found.room.pk, spec_ref, field="spec_ref")
    wanted = found.prerequisites if depends_on is None else _rewired(found, depends_on)
    edited = {name: value for name, value in fields.items() if getattr(found.task, name) != value}
    if not edited and wanted == found.prerequisites:
        return view_of(found.task, wanted, actor)
    _store(actor, found, edited, wanted)
    return view_of(found.task, wanted, actor)


def _for_edit(actor: Actor, task_id: str, names: list[str], fence: int | None) -> Found:
    found = locked(actor, task_id)
    if not names:
        raise Validation("update_task needs at least one field to change.", fields={"arguments": "nothing to change"})
    policies.require_edit(actor, found.standing, found.task, names)
    leases.require_current(actor, found.task, fence, by_right=policies.is_creator(actor, found.task))
    if found.task.is_closed:
        raise Conflict(f"This task is {found.task.status} and keeps its text. Make a new task for what is left.")
    return found


def _rewired(found: Found, depends_on: Sequence[str]) -> tuple[Prerequisite, ...]:
    """The wanted prerequisites, once nothing speaks against them. Whoever works has begun with what there was."""
    wanted = dependencies.required(found.room.pk, depends_on, found.prerequisites)
    if wanted == found.prerequisites:
        return wanted
    if found.task.holder_instance:
        raise Conflict("An agent is working on this task. Change what it depends on once it has let go of it.")
    dependencies.require_acyclic(found.task.pk, [prerequisite.task_id for prerequisite in wanted])
    return wanted


def _store(actor: Actor, found: Found, edited: dict[str, Any], wanted: tuple[Prerequisite, ...]) -> None:
    task, before, now = found.task, history.facts_of(found.task), found.now
    is_set_free = _is_set_free(task, found.prerequisites, wanted)
    names = sorted(edited)
    moves.change(task, now, **edited, **_readiness(task, found.prerequisites, wanted, now))
    if wanted != found.prerequisites:
        dependencies.replace(task, wanted)
        names.append("depends_on")
    rings = ringing.ring(found.room, actor, now, [task] if is_set_free else [], MentionKind.UNBLOCKED)
    updated = history.changed(task, "update", before, wanted, fields=names)
    history.keep(found.room, actor, now, [updated], rows=rings.rows, changed=rings.changed)


def _readiness(
    task: Task, had: tuple[Prerequisite, ...], wanted: tuple[Prerequisite, ...], now: datetime
) -> dict[str, Any]:
    """The columns that tell since when and how often the task has been ready, where the edit has moved them."""
    if _is_set_free(task, had, wanted):
        return {"ready_generation": task.ready_generation + 1, "ready_since": now}
    return {"ready_since": None} if unmet(wanted) else {}


def _is_set_free(task: Task, had: tuple[Prerequisite, ...], wanted: tuple[Prerequisite, ...]) -> bool:
    """Whether the edit took away the last thing that the task waited for."""
    return task.status in WAITING and bool(unmet(had)) and not unmet(wanted)
