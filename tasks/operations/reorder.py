"""Dragging a task to another place of its lane."""

from __future__ import annotations

from datetime import datetime

from agentroom.core.errors import Overtaken, Validation
from agentroom.core.operation import operation
from identity.actors import HumanActor
from rooms.ledger import Change
from tasks import history, lanes, moves, policies
from tasks.access import Found, locked
from tasks.dependencies import prerequisites_of
from tasks.models import Task
from tasks.outputs import TaskState
from tasks.views import state_of


@operation
def reorder_task(
    actor: HumanActor, *, task_id: str, before: str | None = None, expected_revision: int | None = None
) -> TaskState:
    """Put the task ahead of `before` in its lane, or at the end. `expected_revision` is the one the person saw."""
    found = locked(actor, task_id)
    policies.require_reorder(actor, found.standing, found.task)
    if expected_revision not in {None, found.task.revision}:
        raise Overtaken("Somebody changed this task meanwhile. It is back where it was; look and drag it again.")
    whole = lanes.lane_of(found.task)
    lane = [task for task in whole if task.pk != task_id]
    place = _place(lane, before)
    if [task.pk for task in whole[place : place + 1]] == [task_id]:
        return state_of(found.task, found.prerequisites, actor)
    now = found.now
    order = lanes.between(lane, place)
    changes = [_moved(found.task, now, order)] if order is not None else _renumbered(found, lane, place, now)
    history.keep(found.room, actor, now, changes)
    return state_of(found.task, found.prerequisites, actor)


def _place(lane: list[Task], before: str | None) -> int:
    if before is None:
        return len(lane)
    for number, task in enumerate(lane):
        if task.pk == before:
            return number
    raise Validation("before names no other task of this lane.", fields={"before": "not in this lane"})


def _renumbered(found: Found, lane: list[Task], place: int, now: datetime) -> list[Change]:
    """No number was left between two neighbours: the whole lane gets new ones."""
    wanted = [*lane[:place], found.task, *lane[place:]]
    numbered = [(task, number * lanes.STEP) for number, task in enumerate(wanted, start=1)]
    return [_moved(task, now, order) for task, order in numbered if task.order != order]


def _moved(task: Task, now: datetime, order: int) -> Change:
    facts = history.facts_of(task)
    old = task.order
    moves.change(task, now, order=order)
    return history.changed(task, "reorder", facts, prerequisites_of(task.pk), order=order, order_before=old)
