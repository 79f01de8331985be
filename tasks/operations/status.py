"""Moves between statuses that neither finish a task nor take it: block, fail, cancel, resume, reopen, let go."""

from __future__ import annotations

from collections.abc import Sequence
from datetime import datetime
from typing import Any, NoReturn

from agentroom.core.errors import Conflict, Forbidden, Validation
from agentroom.core.operation import operation
from identity.actors import Actor, AgentActor
from rooms.models import MentionKind
from tasks import artifacts as references
from tasks import history, leases, moves, policies, ringing
from tasks.access import Found, locked
from tasks.dependencies import unmet
from tasks.lifecycle import Move, Status, Verb, Who, find, targets
from tasks.models import Task, TaskRecord
from tasks.outputs import TaskState
from tasks.views import state_of


@operation
def set_status(
    actor: Actor,
    *,
    task_id: str,
    status: str,
    reason: str | None = None,
    summary: str | None = None,
    artifacts: Sequence[str] = (),
    next: str | None = None,
    fence: int | None = None,
) -> TaskState:
    """Move the task to `status`. Finishing is `complete_task`, taking is `claim_task`."""
    found = locked(actor, task_id)
    move = _permitted(actor, found, status, fence)
    if move.needs_reason and not reason:
        raise Validation(
            f"{status} needs a reason: what stands in the way. Nothing was changed.", fields={"reason": "required"}
        )
    task, before, now = found.task, history.facts_of(found.task), found.now
    record = _record(actor, found, now, status, reason, summary, artifacts, next)
    is_reopened = _is_reopened(actor, found, move)
    fields = _fields(found, move, now, reason)
    moved = moves.making(task, move, now, **fields, ready_generation=task.ready_generation + is_reopened)
    silenced = ringing.silencing(task, now) if task.is_closed else []
    rings = ringing.ring(found.room, actor, now, [task] if is_reopened else [], MentionKind.ASSIGNED)
    rows = [*([record] if record else []), *rings.rows]
    act = history.changed(task, "set_status", before, found.prerequisites)
    history.keep(found.room, actor, now, [act], rows=rows, changed=rings.changed, ahead=[moved, *silenced])
    return state_of(task, found.prerequisites, actor)


def _permitted(actor: Actor, found: Found, status: str, fence: int | None) -> Move:
    """The move, if this caller may make it now."""
    task = found.task
    if status == Status.DONE:
        raise Conflict("Use complete_task with status done and handoff_notes: it is the only way to finish a task.")
    instance = actor.instance_id if isinstance(actor, AgentActor) else ""
    mine = policies.roles(actor, found.standing, task, instance=instance, fence=fence)
    move = find(task.status, status, Verb.SET_STATUS)
    if move is None or not mine & move.who:
        _refuse(actor, task, move, mine, status, instance, fence)
    leases.require_current(actor, task, fence, by_right=Who.CREATOR in mine & move.who)
    return move


def _refuse(
    actor: Actor, task: Task, move: Move | None, mine: set[Who], status: str, instance: str, fence: int | None
) -> NoReturn:
    """A stranger is told so first; whoever has a standing here learns what the task's state allows."""
    if status == Status.DOING and not (move and Who.ASSIGNEE in mine):
        raise Conflict("Use claim_task to take a task. Only its holder takes a blocked one up again with set_status.")
    if isinstance(actor, AgentActor):
        is_for_agents = move is not None and move.who & {Who.HOLDER, Who.ASSIGNEE}
        if not mine or is_for_agents:
            leases.refuse(actor, task, instance=instance, fence=fence)
    leases.require_current(actor, task, fence, by_right=Who.CREATOR in mine)
    if not mine or move is not None:
        raise Forbidden(f"You may not set this task to {status}: ask an admin of the room, or the agent's owner.")
    allowed = " or ".join(targets(task.status, Verb.SET_STATUS)) or "nowhere: it is final"
    raise Conflict(f"A task that is {task.status} cannot become {status}. From here it goes to {allowed}.")


def _fields(found: Found, move: Move, now: datetime, reason: str | None) -> dict[str, Any]:
    fields: dict[str, Any] = {"reason": reason or ""}
    if move.target == Status.DOING:
        return {**fields, **moves.resumed_fields(now)}
    if move.target == Status.TODO:
        return {**fields, "ready_since": None if unmet(found.prerequisites) else now}
    return {**fields, "progress_at": now}


def _record(
    actor: Actor,
    found: Found,
    now: datetime,
    status: str,
    reason: str | None,
    summary: str | None,
    artifacts: Sequence[str],
    next: str | None,
) -> TaskRecord | None:
    """The close-out of a meaningful step: what an agent says of it, or at least why it stopped."""
    stored = references.resolved(found.room.pk, artifacts)
    line = summary or (reason if status in {Status.BLOCKED, Status.FAILED} else None)
    if line is None and (artifacts or next):
        raise Validation("artifacts and next belong to a record: give its summary too.", fields={"summary": "required"})
    if line is None or not isinstance(actor, AgentActor):
        return None
    return TaskRecord(
        task=found.task,
        agent_id=actor.agent_id,
        instance=actor.instance_id,
        fence=found.task.fence,
        status=status,
        summary=line,
        artifacts=stored,
        next=next or "",
        created_at=now,
    )


def _is_reopened(actor: Actor, found: Found, move: Move) -> bool:
    """Whether somebody else gives the assignee a ready task again: that rings."""
    is_own = isinstance(actor, AgentActor) and leases.is_assignee(actor, found.task)
    return move.target == Status.TODO and move.source != Status.DOING and not is_own and not unmet(found.prerequisites)
