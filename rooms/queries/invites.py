"""Invites as admins and the invited see them."""

from __future__ import annotations

from django.db.models import QuerySet

from agentroom.core.clock import db_now
from identity.actors import HumanActor
from rooms.access import standing_in
from rooms.invitations import find, named, state_of
from rooms.models import Invite, InviteState
from rooms.outputs import InviteItem
from rooms.policies import require_admin

NEWEST = 200


def invites_to(actor: HumanActor, *, room: str) -> list[InviteItem]:
    """The invites to a room for its admins, newest first, used and expired ones included."""
    standing = standing_in(actor, room)
    require_admin(standing, "see its invites")
    return _items(Invite.objects.filter(room=standing.room))


def invites_for(actor: HumanActor) -> list[InviteItem]:
    """The open invites that name this person, for the prompt after signing in."""
    open_ones = Invite.objects.filter(named(actor.owner_id), state=InviteState.PENDING, expires_at__gt=db_now())
    return _items(open_ones)


def invite_behind(actor: HumanActor, *, token: str) -> InviteItem:
    """What the page of an invite shows before anybody accepts."""
    found = find(actor, token=token, invite_id=None)
    return _items(Invite.objects.filter(pk=found.pk))[0]


def _items(invites: QuerySet[Invite]) -> list[InviteItem]:
    now = db_now()
    rows = invites.select_related("room", "created_by").order_by("-created_at", "-pk")[:NEWEST]
    return [
        InviteItem(
            invite_id=one.pk,
            room=one.room_id,
            room_name=one.room.name,
            kind=one.kind,
            target=one.target,
            role=one.role,
            state=state_of(one, now),
            invited_by=one.created_by.name,
            created_at=one.created_at,
            expires_at=one.expires_at,
        )
        for one in rows
    ]
