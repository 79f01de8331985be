"""Moving a task to another agent: people only, through the new assignee's owner's Trust (seed 001)."""

from __future__ import annotations

from typing import Any

from agentroom.core.errors import Conflict
from agentroom.core.operation import operation
from identity.actors import HumanActor
from identity.models import Agent
from rooms.models import MentionKind
from rooms.policies import require_admin
from rooms.roster import agent_in
from tasks import history, lanes, leases, moves, policies, ringing
from tasks.access import Found, locked
from tasks.dependencies import unmet
from tasks.lifecycle import Move, Status, Verb, find
from tasks.outputs import TaskView
from tasks.views import view_of


@operation
def assign_task(actor: HumanActor, *, task_id: str, assignee: str, fence: int | None = None) -> TaskView:
    """Give the task to `assignee`: it goes back to todo at the end of that lane, and the old holder is stale."""
    found = locked(actor, task_id)
    require_admin(found.standing, "reassign a task")
    leases.require_fence(found.task, fence)
    agent = agent_in(found.room, assignee)
    if agent.pk == found.task.assignee_id:
        return view_of(found.task, found.prerequisites, actor)
    move = find(found.task.status, Status.TODO, Verb.REASSIGN)
    if move is None:
        raise Conflict(f"This task is {found.task.status}: it cannot be given to another agent.")
    _hand_over(actor, found, move, agent)
    return view_of(found.task, found.prerequisites, actor)


def _hand_over(actor: HumanActor, found: Found, move: Move, agent: Agent) -> None:
    task, room, before = found.task, found.room, history.facts_of(found.task)
    consent = policies.consent_for(room.pk, from_owner_id=actor.owner_id, agent=agent)
    now, is_ready = found.now, not unmet(found.prerequisites)
    fields: dict[str, Any] = {
        "assignee": agent,
        "consent": consent,
        "ready_since": now if is_ready else None,
        "order": lanes.end_of(room.pk, agent.pk),
        "ready_generation": task.ready_generation + int(is_ready),
    }
    # The old assignee's, before the task has a new one.
    silenced = ringing.silencing(task, now)
    moved = moves.making(task, move, now, **fields)
    rings = ringing.ring(room, actor, now, [task] if is_ready else [], MentionKind.ASSIGNED)
    assigned = history.changed(task, "assign", before, found.prerequisites)
    history.keep(room, actor, now, [assigned], rows=rings.rows, changed=rings.changed, ahead=[moved, *silenced])
