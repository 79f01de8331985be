"""What an agent reads to find its bearings again: whole, or only what changed since it last looked."""

from __future__ import annotations

from agentroom.core.limits import CONTEXT_VERSIONS
from agentroom.core.prepared import Prepared
from identity.actors import Actor, AgentActor
from rooms.access import standing_in
from rooms.context import assemble
from rooms.ledger import ContextClass
from rooms.models import AgentMember, Member, Room
from rooms.outputs import RoomContext

EVERY_CLASS = frozenset(ContextClass)


def get_room_context(actor: Actor, *, room: str, since_version: int | None = None) -> RoomContext:
    """The durable context of a room. With the present version it is one statement and says so."""
    if since_version and _version(actor, room) == since_version:
        return RoomContext(context_version=since_version, not_modified=True)
    standing = standing_in(actor, room)
    # The version was read with the room, before the sections: what commits meanwhile is sent again, never lost.
    place = standing.room
    changed = _changed(place, since_version)
    return RoomContext.of(
        place.context_version,
        last_seq=place.message_seq,
        board_version=place.board_version,
        complete=changed == EVERY_CLASS,
        classes=sorted(changed),
        sections=assemble(standing, actor, changed),
    )


def _version(actor: Actor, room: str) -> int | None:
    """The version of a room the caller is in: membership, room and version in one statement."""
    if isinstance(actor, AgentActor):
        row = _OF_AGENT.first_row(room=room, agent_id=actor.agent_id)
    else:
        row = _OF_PERSON.first_row(room=room, owner_id=actor.owner_id)
    return None if row is None else int(row[0])


_OF_AGENT = Prepared(
    lambda room, agent_id: AgentMember.objects.filter(room_id=room, agent_id=agent_id, left_at=None).values_list(
        "room__context_version"
    )
)
_OF_PERSON = Prepared(
    lambda room, owner_id: Member.objects.filter(room_id=room, owner_id=owner_id, left_at=None).values_list(
        "room__context_version"
    )
)


def _changed(room: Room, since: int | None) -> frozenset[ContextClass]:
    """The classes that moved after `since`; all of them when it is none of ours, or older than deltas are kept."""
    oldest = max(1, room.context_version - CONTEXT_VERSIONS)
    if since is None or not oldest <= since <= room.context_version:
        return EVERY_CLASS
    return frozenset(ContextClass(name) for name, version in room.context_classes.items() if version > since)
