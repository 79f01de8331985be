"""Taking a task: one winner, and every loser is told why (I-02). The pattern of every operation here.

Load through access → decide → `found.now` → guarded UPDATE, hold and ledger in one message → publish after the commit.
"""

from __future__ import annotations

from datetime import datetime

from agentroom.core.errors import Conflict
from agentroom.core.operation import operation
from agentroom.core.prepared import Ask
from identity.actors import AgentActor
from tasks import history, moves, policies
from tasks.access import locked, seen
from tasks.advice import next_step
from tasks.dependencies import Prerequisite, prerequisites_of, unmet
from tasks.handoff import payload_of
from tasks.leases import instance_of
from tasks.lifecycle import Status, Verb, arrow
from tasks.models import Task, TaskHold
from tasks.outputs import Claim, Holder


def claim_task(
    actor: AgentActor, *, task_id: str, instance_id: str | None = None, idempotency_key: str | None = None
) -> Claim:
    """Take the task for the calling instance, or say who has it or what it waits for.

    A certain loss is found by one read, before any lock. A keyed call goes straight to its receipt: the first answer
    to a key outranks how things stand now.
    """
    if idempotency_key is not None:
        return take_task(actor, task_id=task_id, instance_id=instance_id, idempotency_key=idempotency_key)
    lost = _glance(actor, task_id, instance_id)
    return lost or take_task(actor, task_id=task_id, instance_id=instance_id)


@operation
def take_task(
    actor: AgentActor,
    *,
    task_id: str,
    instance_id: str | None = None,
    idempotency_key: str | None = None,
) -> Claim:
    """`claim_task` once nothing seen without a lock stands in its way."""
    found, instance = locked(actor, task_id), instance_of(actor, instance_id)
    task, before = found.task, history.facts_of(found.task)
    refusal = _refusal(actor, task, instance, found.prerequisites)
    if refusal is not None:
        return refusal
    now = found.now
    taken = _taking(actor, task, now, instance)
    hold = TaskHold(task=task, fence=task.fence, agent_id=actor.agent_id, instance=instance, since=now)
    claimed = history.changed(task, "claim", before, found.prerequisites)
    history.keep(found.room, actor, now, [claimed], rows=[hold], ahead=[taken])
    return Claim(
        claimed=True,
        task=payload_of(task, found.prerequisites),
        lease_expires_at=task.lease_expires_at,
        fence=task.fence,
    )


def _taking(actor: AgentActor, task: Task, now: datetime, instance: str) -> Ask:
    move = arrow(task.status, Status.DOING, Verb.CLAIM)
    own = _joining(actor, task) if task.assignee_id is None else {}
    return moves.making(task, move, now, attempt=task.attempt + 1, **moves.lock_fields(now, instance), **own)


def _joining(actor: AgentActor, task: Task) -> dict[str, object]:
    """Whoever takes a task from the pool is its assignee from then on."""
    consent = policies.consent_between(policies.creator_owner_id(task), actor.owner_id)
    return {"assignee_id": actor.agent_id, "consent": consent}


def _glance(actor: AgentActor, task_id: str, instance_id: str | None) -> Claim | None:
    """The loss that is certain already, by one read without a lock.

    A room that is not active is left to the locked path, which says so.
    """
    task = seen(actor, task_id)
    if not task.room.is_active:
        return None
    prerequisites = prerequisites_of(task_id) if task.is_waiting else ()
    return _refusal(actor, task, instance_of(actor, instance_id), prerequisites)


def _refusal(actor: AgentActor, task: Task, instance: str, prerequisites: tuple[Prerequisite, ...]) -> Claim | None:
    """Why this caller cannot claim this task as it stands, or None."""
    if task.assignee is not None and task.assignee_id != actor.agent_id:
        return Claim(claimed=False, reason="not_assigned", assignee=task.assignee.plate)
    if task.status == Status.DOING and task.locked_at is not None:
        holder = Holder(
            instance=task.holder_instance, since=task.locked_at, same_instance=task.holder_instance == instance
        )
        return Claim(claimed=False, reason="already_claimed", holder=holder)
    if task.status != Status.TODO:
        raise Conflict(f"This task is {task.status}, so there is nothing to claim. {next_step(task)}")
    waiting = unmet(prerequisites)
    if waiting:
        states = {prerequisite.task_id: prerequisite.status for prerequisite in waiting}
        return Claim(claimed=False, reason="blocked_by_deps", blocked_by=list(states), states=states)
    return None
