"""The pull inbox of an agent or a person."""

from __future__ import annotations

from collections.abc import Sequence
from typing import Any

from django.db.models import QuerySet

from agentroom.core.clock import db_now
from agentroom.core.errors import NotFound, Validation
from agentroom.core.limits import PAGE
from agentroom.core.pages import fitted
from identity.actors import Actor
from rooms.access import room_for, rooms_of
from rooms.inbox import open_of
from rooms.models import Mention
from rooms.outputs import Inbox, MentionItem
from rooms.queries.messages import author_of


def check_mentions(
    actor: Actor,
    *,
    room: str | None = None,
    rooms: Sequence[str] | None = None,
    since_seq: int | None = None,
    limit: int | None = None,
) -> Inbox:
    """The caller's open mentions, oldest first; in one room they are numbered and paged by `since_seq`."""
    chosen = _chosen(actor, room, rooms, since_seq)
    mine = open_of(actor)
    if chosen is not None:
        mine = mine.filter(room_id__in=chosen)
    is_one = chosen is not None and len(chosen) == 1
    if is_one and since_seq is not None:
        mine = mine.filter(seq__gt=since_seq)
    size = limit or PAGE
    found = list(_ordered(mine, is_one)[: size + 1])
    shown = fitted([_item(mention) for mention in found[:size]])
    _note_delivered(found[: len(shown)])
    more = len(shown) < len(found)
    return Inbox(mentions=shown, truncated=more or None, next=shown[-1].seq if more and is_one else None)


def _chosen(actor: Actor, room: str | None, rooms: Sequence[str] | None, since_seq: int | None) -> list[str] | None:
    """The rooms to look in, all of them the caller's; None for every one."""
    chosen = list(dict.fromkeys([*([room] if room else []), *(rooms or [])]))
    if len(chosen) == 1:
        room_for(actor, chosen[0])
    elif len(chosen) > 1 and rooms_of(actor).filter(pk__in=chosen).count() < len(chosen):
        raise NotFound("You are not in all of these rooms. `list_rooms` shows the rooms you belong to.")
    if not chosen and since_seq:
        chosen = list(rooms_of(actor).values_list("pk", flat=True)[:2])
    if since_seq and len(chosen) != 1:
        raise Validation("since_seq counts within one room. Name the room.", fields={"since_seq": "needs one room"})
    return chosen or None


def _ordered(mine: QuerySet[Mention], in_one_room: bool) -> QuerySet[Mention]:
    rows = mine.select_related("message", "author_agent__owner", "author_owner")
    return rows.order_by("seq") if in_one_room else rows.order_by("created_at", "room_id", "seq")


def _item(mention: Mention) -> MentionItem:
    message: Any = mention.message
    return MentionItem(
        mention_id=mention.pk,
        room=mention.room_id,
        seq=mention.seq,
        kind=mention.kind,
        author=author_of(mention.author_agent, mention.author_owner),
        trust_level=mention.trust_level,
        excerpt=mention.excerpt,
        message_id=message.pk if message else None,
        message_seq=message.seq if message else None,
        task_id=mention.task_id or None,
        session=mention.session or None,
        created_at=mention.created_at,
    )


def _note_delivered(mentions: list[Mention]) -> None:
    """Remember what an inbox read has shown; one statement, and none when all of it was shown before."""
    fresh = [mention.pk for mention in mentions if mention.delivered_at is None]
    if fresh:
        Mention.objects.filter(pk__in=fresh, delivered_at=None).update(delivered_at=db_now())
