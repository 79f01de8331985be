"""Coming into a room and leaving it: steps that run inside an operation that has locked the room."""

from __future__ import annotations

from datetime import datetime

from agentroom.core.errors import Conflict, Forbidden, NotFound
from identity.models import Agent, Owner
from rooms.inbox import cancel
from rooms.models import AgentMember, Member, Role, Room


def require_verified(owner_id: str) -> None:
    """Raise `Forbidden` unless an operator or an e-mail vouches for this person (agent-room.md 3.5)."""
    if not Owner.objects.filter(pk=owner_id, verified=True).exists():
        raise Forbidden(
            "Rooms shared with other owners need a verified account. Confirm your e-mail address, "
            "or ask the operator of this server to verify you, then try again."
        )


def join(room: Room, owner_id: str, role: str, now: datetime) -> None:
    """Make a person a member, Trust off; a former member comes back as a new one."""
    fields = {"role": role, "trusts_others": False, "joined_at": now, "left_at": None}
    if not Member.objects.filter(room=room, owner_id=owner_id).update(**fields):
        Member.objects.create(room=room, owner_id=owner_id, **fields)


def bring(room: Room, agent: Agent, by_owner_id: str, now: datetime) -> bool:
    """Bring an agent into the room. False when it is there already."""
    known = AgentMember.objects.filter(room=room, agent=agent)
    if known.filter(left_at=None).exists():
        return False
    fields = {"added_by_id": by_owner_id, "joined_at": now, "left_at": None}
    if not known.update(**fields):
        AgentMember.objects.create(room=room, agent=agent, **fields)
    return True


def own_agent(owner_id: str, plate: str) -> Agent:
    """An agent of this person that may be brought along. Raises `NotFound`."""
    agent = Agent.objects.filter(owner_id=owner_id, plate=plate, revoked_at=None).first()
    if agent is None:
        raise NotFound("You have no agent with this plate, or it was revoked.")
    return agent


def take_out(room: Room, agent_ids: list[str], now: datetime) -> None:
    """Agents leave, and what waited for them here leaves their inboxes."""
    AgentMember.objects.filter(room=room, agent_id__in=agent_ids, left_at=None).update(left_at=now)
    cancel(now, room=room, agent_id__in=agent_ids)


def part(room: Room, owner_id: str, now: datetime, *, keep_membership: bool = False) -> list[str]:
    """A person leaves with all of their agents, whose plates are returned.

    `keep_membership` is for the last one out: a room is never without an admin, not even an archived one.
    """
    agents = AgentMember.objects.filter(room=room, agent__owner_id=owner_id, left_at=None)
    plates = dict(agents.values_list("agent_id", "agent__plate"))
    take_out(room, list(plates), now)
    if not keep_membership:
        Member.objects.filter(room=room, owner_id=owner_id, left_at=None).update(left_at=now, trusts_others=False)
    cancel(now, room=room, owner_id=owner_id)
    return sorted(plates.values())


def require_other_admin(room: Room, owner_id: str, what: str) -> None:
    """Raise `Conflict` when `owner_id` is the only admin: a room is never without one."""
    admins = Member.objects.filter(room=room, role=Role.ADMIN, left_at=None, owner__is_active=True)
    if not admins.exclude(owner_id=owner_id).exists():
        raise Conflict(f"The last admin of a room cannot {what}. Make another member admin first, or archive the room.")
