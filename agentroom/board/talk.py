"""The talk of a room as people see it: who said what, whom it reached, and what came of that."""

from __future__ import annotations

from collections import defaultdict
from collections.abc import Sequence
from dataclasses import dataclass, field
from datetime import datetime

from django.db.models import Q
from django.utils.safestring import SafeString

from agentroom.board.markdown import rendered
from agentroom.board.seat import Seat
from agentroom.board.words import TOLD
from rooms.handles import alias_of, alias_of_person
from rooms.models import Mention, Message
from rooms.outputs import MessageItem
from rooms.queries.messages import item_of, read_room

# How far back a live page is kept true; a page that was read long ago shows more only after a reload.
SHOWN = 200


@dataclass(frozen=True, slots=True)
class Told:
    """One target of a message and what became of it."""

    alias: str
    words: str
    handled: bool


@dataclass(slots=True)
class Said:
    """A message on the page. `html` is empty for one that was retracted."""

    item: MessageItem
    html: SafeString | str
    is_mine: bool
    told: list[Told] = field(default_factory=list)


@dataclass(frozen=True, slots=True)
class Page:
    """`older` is the `before` of the page above; `at` is just before this was read, for the next pull."""

    messages: list[Said]
    last_seq: int
    at: datetime
    older: int | None = None
    changed: Sequence[Said] = ()
    more: bool = False


def page_of(seat: Seat, before: int | None = None) -> Page:
    """The newest messages, or those before a number."""
    found = read_room(seat.actor, room=seat.room.pk, before_seq=before)
    last = max([seat.room.message_seq if before is None else 0, *(item.seq for item in found.messages)], default=0)
    return Page(_said(seat, found.messages), last, seat.standing.now, older=found.next)


def newer(seat: Seat, after: str, at: str) -> Page | None:
    """What a page that shows messages up to `after`, read at `at`, does not show yet; None for nothing."""
    seq = min(int(after), 2**53) if after.isascii() and after.isdigit() else 0
    found = read_room(seat.actor, room=seat.room.pk, since_seq=seq)
    changed = _changed(seat, seq, _instant(at))
    if not found.messages and not changed:
        return None
    last = found.messages[-1].seq if found.messages else seq
    return Page(_said(seat, found.messages), last, seat.standing.now, changed=changed, more=found.next is not None)


def _changed(seat: Seat, seq: int, since: datetime | None) -> list[Said]:
    """Messages the page shows whose fate has changed: taken back, or handled by whom they told."""
    if since is None:
        return []
    shown = Message.objects.filter(room=seat.room, seq__lte=seq, seq__gt=seq - SHOWN)
    news = shown.filter(Q(retracted_at__gte=since) | Q(mentions__acked_at__gte=since)).distinct()
    return _said(seat, [item_of(message) for message in news.select_related("agent__owner", "owner").order_by("seq")])


def _said(seat: Seat, items: Sequence[MessageItem]) -> list[Said]:
    told = _told([item.message_id for item in items])
    return [
        Said(
            item,
            rendered(item.body) if item.body is not None else "",
            is_mine=item.author.type == "human" and item.author.owner == seat.actor.handle,
            told=told.get(item.message_id, []),
        )
        for item in items
    ]


def _told(message_ids: list[str]) -> dict[str, list[Told]]:
    found: dict[str, list[Told]] = defaultdict(list)
    mentions = Mention.objects.filter(message_id__in=message_ids).select_related("agent__owner", "owner")
    for mention in mentions.order_by("pk"):
        alias = alias_of(mention.agent) if mention.agent else alias_of_person(mention.owner) if mention.owner else ""
        words = "handled" if mention.acked_at else TOLD.get(mention.outcome, mention.outcome)
        found[str(mention.message_id)].append(Told(alias, words, mention.acked_at is not None))
    return found


def _instant(text: str) -> datetime | None:
    try:
        instant = datetime.fromisoformat(text)
    except ValueError:
        return None
    return instant if instant.tzinfo else None
