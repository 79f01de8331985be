"""Giving a lock back: the holder's own release, and a person's for a holder that is gone."""

from __future__ import annotations

from agentroom.core.errors import Conflict
from agentroom.core.operation import operation
from identity.actors import AgentActor, AnyActor, HumanActor, SystemActor
from tasks import history, leases, moves, policies
from tasks.access import Found, locked, locked_by_operator
from tasks.lifecycle import Status, Verb, find
from tasks.outputs import TaskState
from tasks.views import state_of


@operation
def release_task(actor: AgentActor, *, task_id: str, fence: int | None = None) -> TaskState:
    """Let go of the task: back to todo, still the same assignee's."""
    found = locked(actor, task_id)
    leases.require_holder(actor, found.task, instance=actor.instance_id, fence=fence)
    return _release(actor, found, Verb.RELEASE)


@operation
def force_release(actor: HumanActor, *, task_id: str, fence: int | None = None) -> TaskState:
    """Take the lock from its holder: back to todo, still the same assignee's. Its late writes are stale."""
    found = locked(actor, task_id)
    policies.require_force_release(actor, found.standing, found.task)
    leases.require_fence(found.task, fence)
    return _release(actor, found, Verb.FORCE_RELEASE)


@operation
def release_by_operator(actor: SystemActor, *, task_id: str) -> TaskState:
    """An operator of the server releases a task without being in its room."""
    return _release(actor, locked_by_operator(task_id), Verb.FORCE_RELEASE)


def _release(actor: AnyActor, found: Found, verb: Verb) -> TaskState:
    task = found.task
    move = find(task.status, Status.TODO, verb)
    if move is None:
        raise Conflict(
            f"This task is {task.status}: only a task that is doing can be released.", task_status=task.status
        )
    before, now = history.facts_of(task), found.now
    moved = moves.making(task, move, now, ready_since=now)
    act = "release" if verb == Verb.RELEASE else "force_release"
    history.keep(found.room, actor, now, [history.changed(task, act, before, found.prerequisites)], ahead=[moved])
    return state_of(task, found.prerequisites, actor)
