"""Searches the messages of a room, newest first. One call looks through a bounded stretch of history."""

from __future__ import annotations

import re

from django.db import connection
from django.db.models import QuerySet

from agentroom.core import search
from agentroom.core.errors import Validation
from agentroom.core.limits import EXCERPT_CHARACTERS, SEARCHED_MESSAGES
from agentroom.core.search import Found, Hit
from rooms.handles import alias_of, alias_of_person
from rooms.models import Message, Room

SEQ_DIGITS = 15


def _messages(room_id: str, query: str, after: str | None, limit: int) -> Found:
    """Messages below seq `after` that contain the query, whatever its case. An empty page may still have a `next`."""
    top = _below(room_id, after)
    floor = max(0, top - 1 - SEARCHED_MESSAGES)
    stretch = Message.objects.filter(room_id=room_id, seq__lt=top, seq__gt=floor, retracted_at=None)
    rows = list(_containing(stretch, query)[: limit + 1])
    hits = [_hit(message, query) for message in rows[:limit]]
    if len(rows) > limit:
        return Found(hits, hits[-1].cursor)
    return Found(hits, str(floor + 1) if floor and _has_older(room_id, floor) else None)


def _below(room_id: str, after: str | None) -> int:
    if after is None:
        return Room.objects.values_list("message_seq", flat=True).get(pk=room_id) + 1
    if not (after.isascii() and after.isdigit() and len(after) <= SEQ_DIGITS):
        raise Validation("after must be the `next` of an earlier page.", fields={"after": "not from this search"})
    return int(after)


def _containing(stretch: QuerySet[Message], query: str) -> QuerySet[Message]:
    # SQLite's LIKE knows only ASCII case; its regular expressions are Python's and know all of it.
    is_plain = connection.vendor != "sqlite" or query.isascii()
    found = stretch.filter(body__icontains=query) if is_plain else stretch.filter(body__iregex=re.escape(query))
    return found.select_related("agent__owner", "owner").order_by("-seq")


def _has_older(room_id: str, floor: int) -> bool:
    return Message.objects.filter(room_id=room_id, seq__lte=floor).exists()


def _hit(message: Message, query: str) -> Hit:
    author = alias_of(message.agent) if message.agent else alias_of_person(message.owner) if message.owner else ""
    return Hit(
        ref=f"msg:{message.room_id}#{message.seq}",
        cursor=str(message.seq),
        title=author,
        excerpt=around(message.body, query),
        at=message.created_at,
    )


def around(text: str, query: str) -> str:
    """The stretch of `text` around the first place where `query` stands."""
    place = max(0, text.lower().find(query.lower()))
    start = max(0, place - EXCERPT_CHARACTERS // 3)
    end = start + EXCERPT_CHARACTERS
    return ("…" if start else "") + text[start:end] + ("…" if end < len(text) else "")


search.register("message", _messages, place=1)
