"""Putting ended tasks away, and back on the board."""

from __future__ import annotations

from agentroom.core.errors import Conflict
from agentroom.core.operation import operation
from identity.actors import Actor, HumanActor
from rooms.policies import require_admin
from tasks import history, lanes, leases, moves, policies
from tasks.access import locked
from tasks.outputs import TaskState
from tasks.views import state_of


@operation
def archive_task(actor: Actor, *, task_id: str, fence: int | None = None) -> TaskState:
    """Hide an ended task from the board. It stays readable by its id; a repeat changes nothing."""
    found = locked(actor, task_id)
    task, before = found.task, history.facts_of(found.task)
    policies.require_archive(actor, found.standing, task)
    leases.require_fence(task, fence)
    if not task.is_closed:
        raise Conflict(f"This task is {task.status}. Only done, failed and cancelled tasks can be archived.")
    if task.archived_at is None:
        now = found.now
        moves.change(task, now, archived_at=now)
        history.keep(found.room, actor, now, [history.changed(task, "archive", before, found.prerequisites)])
    return state_of(task, found.prerequisites, actor)


@operation
def unarchive_task(actor: HumanActor, *, task_id: str) -> TaskState:
    """Put an archived task back on the board, while there is room on it."""
    found = locked(actor, task_id)
    task, before = found.task, history.facts_of(found.task)
    require_admin(found.standing, "bring a task back from the archive")
    if task.archived_at is not None:
        lanes.require_space(found.room.pk)
        now = found.now
        moves.change(task, now, archived_at=None)
        history.keep(found.room, actor, now, [history.changed(task, "unarchive", before, found.prerequisites)])
    return state_of(task, found.prerequisites, actor)
