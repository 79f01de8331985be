"""Who may put whose agents to work: the one gate for every effect that crosses from one owner to another."""

from __future__ import annotations

from agentroom.core.errors import Forbidden, NoGrant
from identity.models import Agent
from rooms.access import Standing
from rooms.models import Member


def may_put_to_work(room_id: str, *, from_owner_id: str, agent: Agent) -> bool:
    """Whether `from_owner_id`, or an agent of theirs, may assign work to `agent` or wake it in this room.

    Always within one owner; across owners while the agent's owner has Trust on here (00-product.md, "Grants").
    """
    if agent.owner_id == from_owner_id:
        return True
    return Member.objects.filter(room_id=room_id, owner_id=agent.owner_id, left_at=None, trusts_others=True).exists()


def require_grant(room_id: str, *, from_owner_id: str, agent: Agent) -> None:
    """Raise `NoGrant`, naming the owner who must act, unless `may_put_to_work`."""
    if may_put_to_work(room_id, from_owner_id=from_owner_id, agent=agent):
        return
    handle = agent.owner.handle
    raise NoGrant(
        f"{handle} does not let other owners put their agents to work in this room. "
        f"Ask {handle} to turn Trust on here, or choose an agent on your own side.",
        owner=handle,
    )


def require_person(standing: Standing, what: str) -> None:
    """Raise `Forbidden` for an agent: `what` is done by people only."""
    if not standing.is_human:
        raise Forbidden(f"Only a person can {what}. Ask your owner to do it in the browser.")


def require_admin(standing: Standing, what: str) -> None:
    """Raise `Forbidden` unless the caller is a person who may administer the room."""
    require_person(standing, what)
    if not standing.administers:
        raise Forbidden(f"Only an admin of this room can {what}. Ask one of its admins.")


def sees_workspace(standing: Standing) -> bool:
    """The workspace pointer is for admins and their agents; plain members see nothing of it (I-25)."""
    return standing.speaks_for_admin
