"""Acknowledging inbox items on their own, for pull clients that answer nothing."""

from __future__ import annotations

from collections import defaultdict
from collections.abc import Sequence

from agentroom.core.audit import Act
from agentroom.core.clock import db_now
from agentroom.core.errors import Validation
from agentroom.core.limits import ACK_IDS
from agentroom.core.operation import operation
from identity.actors import Actor
from rooms.access import locked_rooms, room_for, rooms_of
from rooms.inbox import ack, open_of, pending
from rooms.ledger import Change, write
from rooms.models import Mention, Room
from rooms.outputs import Acked


@operation
def ack_mentions(
    actor: Actor,
    *,
    mention_ids: Sequence[str] | None = None,
    last_mention_seq: int | None = None,
    room: str | None = None,
) -> Acked:
    """Mark the caller's mentions handled, by id or up to a number in one room; a repeat changes nothing."""
    if (mention_ids is None) == (last_mention_seq is None):
        problem = "give either mention_ids or last_mention_seq"
        raise Validation(f"To acknowledge, {problem}.", fields={"mention_ids": problem})
    wanted, more = _up_to(actor, last_mention_seq or 0, room) if mention_ids is None else (list(mention_ids), False)
    rooms = locked_rooms(pk__in=Mention.objects.filter(pk__in=wanted).values("room_id"))
    fresh = _unhandled(wanted)
    now = db_now()
    acked = ack(actor, wanted, now)
    for place in rooms:
        if ids := fresh[place.pk]:
            act = Act(act="mention.ack", record_kind="mention", record_id=ids[0], after={"acked": ids})
            write(place, actor, now, [Change(act=act)], kind="mention")
    return Acked(acked=acked, truncated=more or None, pending=pending(actor))


def _up_to(actor: Actor, seq: int, room: str | None) -> tuple[list[str], bool]:
    """The caller's open mentions of one room up to `seq`, oldest first; at most a hundred, and whether more wait."""
    place = room_for(actor, room) if room else _only_room(actor)
    found = open_of(actor).filter(room=place, seq__lte=seq).order_by("seq").values_list("pk", flat=True)
    ids = list(found[: ACK_IDS + 1])
    return ids[:ACK_IDS], len(ids) > ACK_IDS


def _only_room(actor: Actor) -> Room:
    rooms = list(rooms_of(actor)[:2])
    if len(rooms) != 1:
        raise Validation(
            "last_mention_seq counts within one room. Name the room.", fields={"room": "required with last_mention_seq"}
        )
    return rooms[0]


def _unhandled(mention_ids: list[str]) -> dict[str, list[str]]:
    open_ids: dict[str, list[str]] = defaultdict(list)
    rows = Mention.objects.filter(pk__in=mention_ids, acked_at=None).order_by("pk")
    for room_id, mention_id in rows.values_list("room_id", "pk"):
        open_ids[room_id].append(mention_id)
    return open_ids
