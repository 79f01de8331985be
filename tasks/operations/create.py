"""Putting a task on the board: for an agent of the room, or into the pool."""

from __future__ import annotations

from collections.abc import Sequence
from datetime import datetime
from typing import Any

from agentroom.core import refs
from agentroom.core.clock import db_now
from agentroom.core.operation import operation
from identity.actors import Actor, AgentActor
from identity.models import Agent
from rooms.access import standing_in
from rooms.models import MentionKind, Room
from rooms.roster import agent_in
from tasks import dependencies, history, lanes, policies, ringing
from tasks.models import Task
from tasks.outputs import TaskView
from tasks.views import view_of


@operation
def create_task(
    actor: Actor,
    *,
    room: str,
    title: str,
    definition_of_done: str,
    assignee: str | None = None,
    detail: str | None = None,
    order: int | None = None,
    depends_on: Sequence[str] = (),
    spec_ref: str | None = None,
    deadline: datetime | None = None,
    idempotency_key: str | None = None,
) -> TaskView:
    """Make a task. Its assignee is locked from here on, and is rung at once unless the task has to wait."""
    place = standing_in(actor, room, lock=True, writing=True).room
    agent = None if assignee is None else agent_in(place, assignee)
    wanted = dependencies.required(place.pk, depends_on)
    lanes.require_space(place.pk)
    task = Task(
        room=place,
        title=title,
        definition_of_done=definition_of_done,
        detail=detail or "",
        order=lanes.end_of(place.pk, agent.pk if agent else None) if order is None else order,
        spec_ref="" if spec_ref is None else refs.resolve(place.pk, spec_ref, field="spec_ref"),
        deadline=deadline,
        **_people(actor, place, agent),
    )
    _store(place, task, actor, wanted)
    return view_of(task, wanted, actor)


def _people(actor: Actor, room: Room, agent: Agent | None) -> dict[str, Any]:
    is_agent = isinstance(actor, AgentActor)
    people: dict[str, Any] = {
        "creator_agent_id": actor.agent_id if isinstance(actor, AgentActor) else None,
        "creator_owner_id": None if is_agent else actor.owner_id,
        "assignee": agent,
    }
    if agent is not None:
        people["consent"] = policies.consent_for(room.pk, from_owner_id=actor.owner_id, agent=agent)
    return people


def _store(room: Room, task: Task, actor: Actor, wanted: tuple[dependencies.Prerequisite, ...]) -> None:
    now, is_ready = db_now(), not dependencies.unmet(wanted)
    task.created_at = task.updated_at = now
    task.ready_since = now if is_ready else None
    task.ready_generation = int(is_ready)
    rings = ringing.ring(room, actor, now, [task] if is_ready else [], MentionKind.ASSIGNED)
    created = history.changed(task, "create", {}, wanted)
    rows = [task, *dependencies.edges(task, wanted), *rings.rows]
    history.keep(room, actor, now, [created], rows=rows, changed=rings.changed)
