"""The rooms of one caller."""

from __future__ import annotations

from typing import Any

from django.db.models import Exists, F, OuterRef, Subquery

from agentroom.core.limits import PAGE
from agentroom.core.pages import fitted
from identity.actors import Actor, AgentActor
from rooms.models import AgentMember, Member
from rooms.outputs import RoomItem, RoomList


def list_rooms(actor: Actor, *, after: str | None = None) -> RoomList:
    """The rooms the caller belongs to, oldest first, in one statement."""
    rows = _memberships(actor).order_by("room_id")
    if after is not None:
        rows = rows.filter(room_id__gt=after)
    found = [_item(row) for row in rows[: PAGE + 1]]
    shown = fitted(found[:PAGE])
    more = len(shown) < len(found)
    return RoomList(rooms=shown, truncated=more or None, next=shown[-1].room if more else None)


def is_cross_owner(room_id: str) -> bool:
    """Whether people of more than one owner are in the room."""
    return Member.objects.filter(room_id=room_id, left_at=None)[:2].count() > 1


def _memberships(actor: Actor) -> Any:
    """One row per room, with the role of the caller's owner as `role`."""
    others = Member.objects.filter(room_id=OuterRef("room_id"), left_at=None).exclude(owner_id=actor.owner_id)
    fields = ("room_id", "room__name", "room__status", "room__message_seq", "room__context_version", "cross", "role_of")
    rows: Any
    if isinstance(actor, AgentActor):
        role = Member.objects.filter(room_id=OuterRef("room_id"), owner_id=actor.owner_id).values("role")
        rows = AgentMember.objects.filter(agent_id=actor.agent_id, left_at=None).annotate(role_of=Subquery(role))
    else:
        rows = Member.objects.filter(owner_id=actor.owner_id, left_at=None).annotate(role_of=F("role"))
    return rows.annotate(cross=Exists(others)).values(*fields)


def _item(row: dict[str, Any]) -> RoomItem:
    return RoomItem(
        room=row["room_id"],
        name=row["room__name"],
        status=row["room__status"],
        cross_owner=row["cross"],
        role_of_owner=row["role_of"],
        last_seq=row["room__message_seq"],
        context_version=row["room__context_version"],
    )
