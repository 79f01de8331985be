"""The only way to load a room: through the caller's membership. Forgotten checks become "not found"."""

from __future__ import annotations

from collections.abc import Sequence
from dataclasses import dataclass
from datetime import datetime
from typing import Any

from django.db import connection
from django.db.models import Q, QuerySet

from agentroom.core import replays
from agentroom.core.clock import asking_now
from agentroom.core.errors import NotAMember, NotFound, ThreadNotActive
from agentroom.core.prepared import Ask, Prepared, in_one_trip
from identity.actors import Actor, AgentActor
from identity.models import Owner
from rooms.models import AgentMember, Invite, InviteState, Member, Role, Room


@dataclass(frozen=True, slots=True)
class Standing:
    """The caller's place in a room: the room, the owner's role and Trust toggle."""

    room: Room
    role: str
    is_human: bool
    now: datetime  # by the database's clock, read after the room's lock when one was asked for
    member_id: int = 0  # of the caller's own membership row
    read: tuple[Any, ...] = ()  # the answers to what was asked along

    @property
    def administers(self) -> bool:
        """Whether the caller is a person who may administer the room (00-product.md, "Authority")."""
        return self.is_human and self.role == Role.ADMIN

    @property
    def speaks_for_admin(self) -> bool:
        """Whether the caller is, or belongs to, an admin of the room."""
        return self.role == Role.ADMIN


def room_for(actor: Actor, room_id: str, *, lock: bool = False, writing: bool = False) -> Room:
    """The room, for a caller who belongs to it. See `standing_in`."""
    return standing_in(actor, room_id, lock=lock, writing=writing).room


class Way:
    """How a room is found: by its own key, or by that of a record in it which never changes its room."""

    def __init__(self, lookup: str) -> None:
        def rooms(key: str) -> QuerySet[Room]:
            return Room.objects.filter(**{lookup: key})

        def locked(key: str) -> QuerySet[Room]:
            return rooms(key).select_for_update(of=("self",), no_key=connection.vendor == "postgresql")

        def person(key: str, owner_id: str) -> QuerySet[Member, Any]:
            members = Member.objects.filter(**{f"room__{lookup}": key}, owner_id=owner_id)
            return members.values_list("role", "left_at", "pk")

        def agent(key: str, agent_id: str, owner_id: str) -> QuerySet[AgentMember, Any]:
            # An agent's role is its owner's; one statement reads both.
            members = AgentMember.objects.filter(
                **{f"room__{lookup}": key}, agent_id=agent_id, room__members__owner_id=owner_id
            )
            return members.values_list("room__members__role", "left_at", "pk")

        self._rooms, self._locked = Prepared(rooms), Prepared(locked)
        self._person, self._agent = Prepared(person), Prepared(agent)

    def asking_room(self, key: str, *, lock: bool) -> Ask:
        return (self._locked if lock else self._rooms).asking(key=key)

    def asking_membership(self, actor: Actor, key: str) -> Ask:
        """(role of the owner, when the caller left, the membership's key). An agent whose owner left has left too."""
        if isinstance(actor, AgentActor):
            return self._agent.asking(key=key, agent_id=actor.agent_id, owner_id=actor.owner_id)
        return self._person.asking(key=key, owner_id=actor.owner_id)


BY_ID = Way("pk")


def standing_in(
    actor: Actor,
    key: str,
    *,
    lock: bool = False,
    writing: bool = False,
    along: Sequence[Ask] = (),
    way: Way = BY_ID,
) -> Standing:
    """The caller's standing in the room; `lock` takes the room's row lock first, before anything is read.

    `key` is the room's id, or whatever `way` finds a room by.

    `along` is what else the caller must read: it travels in the same message, and under the lock if there is one.

    Raises `NotFound` for a room that is absent or foreign (the same answer), `NotAMember` for one the caller once
    belonged to or is invited to, and `ThreadNotActive` when an agent is `writing` to a room that is not active.
    """
    rooms, members, *read, now = in_one_trip(
        way.asking_room(key, lock=lock), way.asking_membership(actor, key), *along, asking_now()
    )
    room, member = next(iter(rooms), None), next(iter(members), None)
    if room is None or member is None:
        if room is not None and _is_invited(actor, room.pk):
            raise NotAMember("You are invited to this room but not in it yet: a person has to accept the invite first.")
        raise NotFound("No such room, or you are not in it. `list_rooms` shows the rooms you belong to.")
    role, left_at, member_id = member
    if left_at is not None:
        raise NotAMember("You no longer belong to this room. Ask one of its members to invite you again.")
    if writing and isinstance(actor, AgentActor) and not room.is_active:
        raise ThreadNotActive(
            f"This room is {room.status}: agents can read it but not write. Wait until a person makes it active."
        )
    return Standing(room, role, not isinstance(actor, AgentActor), now, member_id, tuple(read))


def rooms_of(actor: Actor) -> QuerySet[Room]:
    """Every room the caller belongs to now."""
    return rooms_of_agent(actor.agent_id) if isinstance(actor, AgentActor) else rooms_of_person(actor.owner_id)


def rooms_of_agent(agent_id: str) -> QuerySet[Room]:
    """As `rooms_of`; for queries that are compiled once."""
    return Room.objects.filter(agent_members__agent_id=agent_id, agent_members__left_at=None)


def rooms_of_person(owner_id: str) -> QuerySet[Room]:
    """As `rooms_of`; for queries that are compiled once."""
    return Room.objects.filter(members__owner_id=owner_id, members__left_at=None)


def locked_rooms(**which: Any) -> list[Room]:
    """Rooms locked by id, the one order: for the few operations that touch several, or come without a membership."""
    rooms = Room.objects.filter(pk__in=Room.objects.filter(**which).values("pk")).order_by("pk")
    return list(rooms.select_for_update(no_key=connection.vendor == "postgresql"))


replays.register("room", room_for)


def _is_invited(actor: Actor, room_id: str) -> bool:
    """Whether a pending invite gave this caller, or the person behind it, the room's id."""
    email = Owner.objects.filter(pk=actor.owner_id).values("email")
    target = Q(target__in=email)
    if isinstance(actor, AgentActor):
        target |= Q(target=actor.plate)
    return Invite.objects.filter(target, room_id=room_id, state=InviteState.PENDING).exists()
