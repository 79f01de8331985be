"""Invites: issued by people, accepted by people, single use, seven days. An acceptance brings the person's agents."""

from __future__ import annotations

import secrets
from collections.abc import Sequence
from datetime import datetime

from agentroom.core.audit import Act
from agentroom.core.background import later
from agentroom.core.clock import db_now
from agentroom.core.errors import Conflict, LimitReached, NotFound
from agentroom.core.limits import INVITE, OPEN_INVITES_PER_ROOM
from agentroom.core.operation import operation
from identity import keyring
from identity.actors import HumanActor, SystemActor
from rooms.access import locked_rooms, standing_in
from rooms.invitations import find, require_invited, require_invitee, require_usable, token_hash
from rooms.ledger import Change, ContextClass, write
from rooms.membership import bring, join, own_agent, require_verified
from rooms.models import Invite, InviteKind, InviteState, Member, Room
from rooms.outputs import Invited, InviteRef, Joined
from rooms.policies import require_admin

TOKEN_BYTES = 24
MAIL_JOB = "rooms.mail_invites"


@operation
def invite(actor: HumanActor, *, room: str, kind: str, target: str = "", role: str = "member") -> Invited:
    """Invite somebody by e-mail, by a link, or by the plate of their agent. The token is shown this once."""
    standing = standing_in(actor, room, lock=True)
    require_admin(standing, "invite people")
    target = target.lower() if kind == InviteKind.EMAIL else target
    require_invitee(standing.room, actor.owner_id, kind, target)
    now = db_now()
    _require_invites_to_spare(standing.room, now)
    token = secrets.token_urlsafe(TOKEN_BYTES)
    issued = Invite.objects.create(
        room=standing.room,
        kind=kind,
        target=target,
        role=role,
        token_hash=token_hash(token),
        mail_token_encrypted=keyring.seal(token.encode()) if kind == InviteKind.EMAIL else b"",
        created_by_id=actor.owner_id,
        created_at=now,
        expires_at=now + INVITE,
    )
    act = Act(act="invite.issue", record_kind="invite", record_id=issued.pk, after={"kind": kind, "role": role})
    write(standing.room, actor, now, [Change(act=act)], kind="invite")
    if kind == InviteKind.EMAIL:
        later(MAIL_JOB)
    return Invited(invite_id=issued.pk, token=token, expires_at=issued.expires_at)


@operation
def revoke_invite(actor: HumanActor, *, room: str, invite_id: str) -> InviteRef:
    """Withdraw a pending invite; its link is dead at once."""
    standing = standing_in(actor, room, lock=True)
    require_admin(standing, "revoke invites")
    found = Invite.objects.filter(room=standing.room, pk=invite_id).first()
    if found is None:
        raise NotFound("No such invite to this room.")
    if found.state == InviteState.ACCEPTED:
        raise Conflict("This invite was accepted already. Remove the member instead.")
    if Invite.objects.filter(pk=found.pk, state=InviteState.PENDING).update(
        state=InviteState.REVOKED, mail_token_encrypted=b""
    ):
        act = _act("invite.revoke", found, InviteState.REVOKED)
        write(standing.room, actor, db_now(), [Change(act=act)], kind="invite")
    return InviteRef(invite_id=found.pk)


@operation
def accept_invite(
    actor: HumanActor, *, token: str | None = None, invite_id: str | None = None, plates: Sequence[str] = ()
) -> Joined:
    """Join a room with the agents chosen. By its token, or by id when the invite names the caller."""
    # The room is locked first, then the invite read again under that lock.
    [room] = locked_rooms(pk=find(actor, token=token, invite_id=invite_id).room_id)
    found = find(actor, token=token, invite_id=invite_id)
    now = db_now()
    require_usable(found, room, now)
    require_invited(actor, found)
    require_verified(actor.owner_id)
    agents = [own_agent(actor.owner_id, plate) for plate in _brought(found, plates)]
    member = Member.objects.filter(room=room, owner_id=actor.owner_id, left_at=None).first()
    if member is not None and found.kind != InviteKind.PLATE:
        raise Conflict("You are in this room already. The invite was not used up.")
    accepted = {"state": InviteState.ACCEPTED, "accepted_by_id": actor.owner_id, "accepted_at": now}
    if not Invite.objects.filter(pk=found.pk, state=InviteState.PENDING).update(**accepted, mail_token_encrypted=b""):
        raise Conflict("This invite has been used.")
    if member is None:
        join(room, actor.owner_id, found.role, now)
    for agent in agents:
        bring(room, agent, actor.owner_id, now)
    joined = [agent.plate for agent in agents]
    act = _act("invite.accept", found, InviteState.ACCEPTED, owner_id=actor.owner_id, plates=joined)
    # One owner more may make the room cross-owner, which its own class tells.
    write(room, actor, now, [Change(act=act)], context=[ContextClass.ROSTER, ContextClass.ROOM], kind="roster")
    return Joined(room=room.pk, role=member.role if member else found.role, plates=joined)


@operation
def note_mailed(actor: SystemActor, *, invite_id: str) -> InviteRef:
    """The invite has been mailed: its token is kept hashed only from now on."""
    Invite.objects.filter(pk=invite_id).update(mail_token_encrypted=b"")
    return InviteRef(invite_id=invite_id)


def _require_invites_to_spare(room: Room, now: datetime) -> None:
    waiting = Invite.objects.filter(room=room, state=InviteState.PENDING, expires_at__gt=now)
    if waiting.count() >= OPEN_INVITES_PER_ROOM:
        raise LimitReached(f"This room has {OPEN_INVITES_PER_ROOM} open invites. Revoke one that is no longer needed.")


def _brought(found: Invite, plates: Sequence[str]) -> list[str]:
    """The plates to bring, each once; an invite by plate always brings that one."""
    named = [found.target] if found.kind == InviteKind.PLATE else []
    return list(dict.fromkeys([*named, *plates]))


def _act(name: str, found: Invite, state: str, **more: object) -> Act:
    return Act(
        act=name,
        record_kind="invite",
        record_id=found.pk,
        before={"state": InviteState.PENDING},
        after={"state": state, **more},
    )
