"""Who of the watchers may still be told what happens, read for all of them at once."""

from __future__ import annotations

from collections.abc import Set
from dataclasses import dataclass

from identity.sessions import signed_in_all
from rooms.models import Member, Room


@dataclass(frozen=True, slots=True)
class Place:
    """A socket's seat: which session, of whom, in which room."""

    room_id: str
    owner_id: str
    session_key: str


@dataclass(frozen=True, slots=True)
class Standings:
    """The seats that stand, the sessions that live, and how far each room is."""

    admitted: frozenset[Place]
    sessions: frozenset[str]
    heads: dict[str, int]


def standings(places: Set[Place]) -> Standings:
    """A constant number of statements, however many watch."""
    rooms = {place.room_id for place in places}
    heads = dict(Room.objects.filter(pk__in=rooms).values_list("pk", "audit_seq"))
    belongs = set(
        Member.objects.filter(room_id__in=rooms, left_at=None, owner__is_active=True).values_list("room_id", "owner_id")
    )
    sessions = signed_in_all({place.session_key for place in places})
    admitted = {
        place
        for place in places
        if (place.room_id, place.owner_id) in belongs
        and place.session_key in sessions
        and sessions[place.session_key].owner.pk == place.owner_id
    }
    return Standings(frozenset(admitted), frozenset(sessions), heads)
