"""Who may do what to one task (00-product.md, "Authority"). People count by their place in the room."""

from __future__ import annotations

from collections.abc import Collection

from agentroom.core.errors import Forbidden
from identity.actors import Actor, AgentActor
from identity.models import Agent
from rooms.access import Standing
from rooms.policies import require_grant
from tasks import leases
from tasks.lifecycle import Who
from tasks.models import Consent, Task

ASSIGNEE_MAY_EDIT = frozenset({"detail", "order"})


def roles(actor: Actor, standing: Standing, task: Task, *, instance: str = "", fence: int | None = None) -> set[Who]:
    """Every standing the caller has towards this task."""
    if isinstance(actor, AgentActor):
        found = {
            Who.ASSIGNEE: leases.is_assignee(actor, task),
            Who.HOLDER: leases.holds(actor, task, instance=instance, fence=fence),
            Who.CREATOR: is_creator(actor, task),
        }
    else:
        found = {
            Who.HUMAN: standing.administers,
            Who.OWNER: task.assignee is not None and task.assignee.owner_id == actor.owner_id,
            Who.CREATOR: is_creator(actor, task),
        }
    return {who for who, is_so in found.items() if is_so}


def is_creator(actor: Actor, task: Task) -> bool:
    """Whether the caller made the task."""
    if isinstance(actor, AgentActor):
        return task.creator_agent_id == actor.agent_id
    return task.creator_owner_id == actor.owner_id


def require_edit(actor: Actor, standing: Standing, task: Task, fields: Collection[str]) -> None:
    """Raise unless the caller may change these fields: creator and admins all of them, the assignee some."""
    mine = roles(actor, standing, task)
    if standing.speaks_for_admin or Who.CREATOR in mine:
        _require_trust(actor, standing, task)
        return
    if not mine:
        _refuse_stranger(actor, task)
    if not ASSIGNEE_MAY_EDIT.issuperset(fields):
        raise Forbidden(
            "The agent a task is assigned to may change its detail and order. For more, ask who created it or an admin."
        )


def require_archive(actor: Actor, standing: Standing, task: Task) -> None:
    """Raise unless the caller created the task or is a person who administers the room."""
    mine = roles(actor, standing, task)
    if not mine & {Who.CREATOR, Who.HUMAN}:
        raise Forbidden("Only who created a task, or a person who administers the room, may archive it.")


def require_force_release(actor: Actor, standing: Standing, task: Task) -> None:
    """Raise unless the caller is a person who administers the room, or owns the assignee."""
    if not roles(actor, standing, task) & {Who.HUMAN, Who.OWNER}:
        raise Forbidden("Only an admin of this room, or the owner of the agent that holds the task, may release it.")


def require_reorder(actor: Actor, standing: Standing, task: Task) -> None:
    """Raise unless the caller is a person with a say in this lane."""
    if not roles(actor, standing, task) & {Who.HUMAN, Who.OWNER, Who.CREATOR}:
        raise Forbidden("Only an admin of this room, the lane's owner or the task's creator may move it in its lane.")


def consent_for(room_id: str, *, from_owner_id: str, agent: Agent) -> Consent:
    """How a task comes to `agent`: within one owner as a matter of course, across owners through Trust.

    Raises `NoGrant` when the agent's owner has Trust off.
    """
    require_grant(room_id, from_owner_id=from_owner_id, agent=agent)
    return consent_between(from_owner_id, agent.owner_id)


def consent_between(one_owner_id: str, other_owner_id: str) -> Consent:
    return Consent.AUTO if one_owner_id == other_owner_id else Consent.ACCEPTED


def creator_owner_id(task: Task) -> str:
    """The owner behind whoever created the task."""
    return task.creator_agent.owner_id if task.creator_agent else str(task.creator_owner_id)


def _require_trust(actor: Actor, standing: Standing, task: Task) -> None:
    """Editing what another owner's agent works on puts it to work: not once that owner's Trust is off."""
    if task.assignee is not None and not standing.administers:
        require_grant(standing.room.pk, from_owner_id=actor.owner_id, agent=task.assignee)


def _refuse_stranger(actor: Actor, task: Task) -> None:
    if isinstance(actor, AgentActor):
        leases.refuse(actor, task, instance=actor.instance_id)
    raise Forbidden("Only who created a task, its assignee, or an admin of the room may change it.")
