"""Tasks as answers: the short state after a change, the whole task, its records."""

from __future__ import annotations

from typing import Any

from identity.actors import AgentActor, AnyActor
from identity.names import handle_of
from rooms.handles import alias_of, alias_of_person
from tasks.dependencies import Prerequisite, unmet
from tasks.lifecycle import CLOSED
from tasks.models import Task, TaskRecord
from tasks.outputs import Holder, Record, TaskState, TaskView
from tasks.projection import Staleness, is_claimable

Prerequisites = tuple[Prerequisite, ...]


def state_of(task: Task, prerequisites: Prerequisites, actor: AnyActor, stale: Staleness | None = None) -> TaskState:
    return TaskState(**_state(task, prerequisites, actor, stale))


def view_of(
    task: Task,
    prerequisites: Prerequisites,
    actor: AnyActor,
    stale: Staleness | None = None,
    records: list[Record] | None = None,
) -> TaskView:
    return TaskView(
        **_state(task, prerequisites, actor, stale),
        room=task.room_id,
        definition_of_done=task.definition_of_done,
        detail=task.detail or None,
        spec_ref=task.spec_ref or None,
        order=task.order,
        consent=task.consent,
        lock_policy=task.lock_policy,
        deadline=task.deadline,
        created_by=_creator(task, actor),
        created_at=task.created_at,
        updated_at=task.updated_at,
        records=records,
    )


def record_of(record: TaskRecord, plate: str) -> Record:
    return Record(
        task_id=record.task_id,
        plate=plate,
        status=record.status,
        summary=record.summary,
        artifacts=record.artifacts,
        next=record.next or None,
        created_at=record.created_at,
    )


def blocked_by(status: str, prerequisites: Prerequisites) -> dict[str, str]:
    """The unmet prerequisites with their states; nothing holds up what has ended."""
    return {} if status in CLOSED else {waiting.task_id: waiting.status for waiting in unmet(prerequisites)}


def _state(task: Task, prerequisites: Prerequisites, actor: AnyActor, stale: Staleness | None) -> dict[str, Any]:
    waiting = blocked_by(task.status, prerequisites)
    agent_id = actor.agent_id if isinstance(actor, AgentActor) else None
    return {
        "task_id": task.pk,
        "title": task.title,
        "status": task.status,
        "assignee": task.assignee.plate if task.assignee else None,
        "fence": task.fence,
        "reason": task.reason or None,
        "depends_on": [prerequisite.task_id for prerequisite in prerequisites] or None,
        "blocked_by": list(waiting) or None,
        "states": waiting or None,
        "holder": _holder(task, actor),
        "lease_expires_at": task.lease_expires_at,
        "stale": True if stale else None,
        "stale_reason": stale.reason if stale else None,
        "stale_since": stale.since if stale else None,
        "claimable": is_claimable(task, agent_id, is_blocked=bool(waiting)) or None,
        "archived": task.archived_at is not None or None,
        "revision": task.revision,
    }


def _holder(task: Task, actor: AnyActor) -> Holder | None:
    if task.locked_at is None:
        return None
    mine = isinstance(actor, AgentActor) and actor.agent_id == task.assignee_id
    same = actor.instance_id == task.holder_instance if mine and isinstance(actor, AgentActor) else None
    return Holder(instance=task.holder_instance, since=task.locked_at, same_instance=same)


def _creator(task: Task, actor: AnyActor) -> str:
    # Whoever has just made it needs no look-up.
    if isinstance(actor, AgentActor) and task.creator_agent_id == actor.agent_id:
        return f"@{handle_of(actor.name)}({actor.owner_handle})"
    if task.creator_agent:
        return alias_of(task.creator_agent)
    return alias_of_person(task.creator_owner) if task.creator_owner else ""
