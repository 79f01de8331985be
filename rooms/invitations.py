"""Rules of invites: who may be invited, who may accept, and until when."""

from __future__ import annotations

from datetime import datetime

from django.db.models import Q

from agentroom.core.digest import sha256_hex
from agentroom.core.errors import Conflict, Forbidden, NotFound, Validation
from identity.actors import HumanActor
from identity.models import Agent, Owner
from rooms.models import AgentMember, Invite, InviteKind, InviteState, Member, Room, RoomStatus


def token_hash(token: str) -> str:
    return sha256_hex(token.encode())


def accept_path(token: str) -> str:
    """Where the page of an invite is."""
    return f"/invites/{token}"


def find(actor: HumanActor, *, token: str | None, invite_id: str | None) -> Invite:
    """The invite of a token, or one that names the caller by e-mail or plate. Raises `NotFound`."""
    rows = Invite.objects.select_related("room", "created_by")
    if token is not None:
        found = rows.filter(token_hash=token_hash(token)).first()
    else:
        found = rows.filter(named(actor.owner_id), pk=invite_id).first()
    if found is None:
        raise NotFound("No such invite. Check the link, or ask for a new one.")
    return found


def named(owner_id: str) -> Q:
    """Invites that name this person: their e-mail address, or the plate of one of their agents."""
    email = Owner.objects.filter(pk=owner_id).values("email")
    plates = Agent.objects.filter(owner_id=owner_id, revoked_at=None).values("plate")
    return Q(kind=InviteKind.EMAIL, target__in=email) | Q(kind=InviteKind.PLATE, target__in=plates)


def require_invitee(room: Room, inviter_id: str, kind: str, target: str) -> None:
    """Raise unless this kind of invite fits its target, and the target is not in the room yet."""
    if (kind == InviteKind.LINK) != (target == ""):
        problem = "only an invite by link has no target"
        raise Validation(f"The invite was not made: {problem}.", fields={"target": problem})
    if kind == InviteKind.PLATE:
        _require_foreign_agent(room, inviter_id, target)
    if kind == InviteKind.EMAIL and Member.objects.filter(room=room, left_at=None, owner__email=target).exists():
        raise Conflict("Somebody with this e-mail address is in the room already.")


def require_usable(invite: Invite, room: Room, now: datetime) -> None:
    """Raise `Conflict` for an invite that was used, revoked or has expired, and for a room that is closed."""
    if invite.state != InviteState.PENDING:
        word = "used" if invite.state == InviteState.ACCEPTED else "revoked"
        raise Conflict(f"This invite was {word}. Ask an admin of the room for a new one.")
    if invite.expires_at <= now:
        raise Conflict("This invite has expired. Ask an admin of the room for a new one.")
    if room.status == RoomStatus.ARCHIVED:
        raise Conflict("This room is archived: nobody can join it.")


def require_invited(actor: HumanActor, invite: Invite) -> None:
    """Raise `Forbidden` when the invite is for somebody else."""
    if invite.kind == InviteKind.LINK:
        return
    if not Invite.objects.filter(named(actor.owner_id), pk=invite.pk).exists():
        whom = "another e-mail address" if invite.kind == InviteKind.EMAIL else "the owner of another agent"
        raise Forbidden(f"This invite is for {whom}. Sign in as its recipient, or ask for a new one.")


def state_of(invite: Invite, now: datetime) -> str:
    """As people see it: expired is computed."""
    expired = invite.state == InviteState.PENDING and invite.expires_at <= now
    return "expired" if expired else invite.state


def _require_foreign_agent(room: Room, inviter_id: str, plate: str) -> None:
    agent = Agent.objects.filter(plate=plate, revoked_at=None).first()
    if agent is None:
        raise NotFound("There is no agent with this plate.")
    if agent.owner_id == inviter_id:
        raise Conflict("This agent is your own: add it to the room, no invite is needed.")
    if AgentMember.objects.filter(room=room, agent=agent, left_at=None).exists():
        raise Conflict("This agent is in the room already.")
