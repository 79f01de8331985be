"""A room's messages, page by page from a cursor. A page costs the same at any depth."""

from __future__ import annotations

from agentroom.core.errors import Validation
from agentroom.core.limits import PAGE
from agentroom.core.pages import fitted
from identity.actors import Actor
from identity.models import Agent, Owner
from rooms.access import room_for
from rooms.handles import alias_of, alias_of_person
from rooms.models import Message, Room
from rooms.outputs import Author, MentionRef, MessageItem, Messages


def read_room(
    actor: Actor,
    *,
    room: str,
    before_seq: int | None = None,
    since_seq: int | None = None,
    limit: int | None = None,
) -> Messages:
    """One page of messages, oldest first: the newest, those before `before_seq`, or those after `since_seq`."""
    if before_seq is not None and since_seq is not None:
        problem = "give either before_seq or since_seq"
        raise Validation(f"To page, {problem}.", fields={"since_seq": problem})
    place = room_for(actor, room)
    if since_seq is not None:
        return _forward(place, since_seq, limit or PAGE)
    return _backward(place, before_seq, limit or PAGE)


def author_of(agent: Agent | None, owner: Owner | None) -> Author:
    """The author as the record has it."""
    if agent is not None:
        return Author(type="agent", alias=alias_of(agent), plate=agent.plate)
    if owner is not None:
        return Author(type="human", alias=alias_of_person(owner), owner=owner.handle)
    return Author(type="system", alias="the server")


def item_of(message: Message) -> MessageItem:
    retracted = message.retracted_at is not None
    return MessageItem(
        seq=message.seq,
        message_id=message.pk,
        author=author_of(message.agent, message.owner),
        body=None if retracted else message.body,
        retracted=retracted or None,
        mention_targets=[MentionRef(**target) for target in message.targets] or None,
        parent_id=message.parent_id,
        task_id=message.task_id or None,
        created_at=message.created_at,
    )


def _backward(room: Room, before_seq: int | None, size: int) -> Messages:
    rows = Message.objects.filter(room=room).select_related("agent__owner", "owner").order_by("-seq")
    if before_seq is not None:
        rows = rows.filter(seq__lt=before_seq)
    found = [item_of(message) for message in rows[: size + 1]]
    shown = fitted(found[:size])
    if len(shown) < len(found):
        return Messages(messages=shown[::-1], last_seq=room.message_seq, truncated=True, next=shown[-1].seq)
    # Messages are numbered from 1: a page that ends above it ends where older ones were pruned.
    first = shown[-1].seq if shown and shown[-1].seq > 1 else None
    return Messages(messages=shown[::-1], last_seq=room.message_seq, truncated=True if first else None, first_seq=first)


def _forward(room: Room, since_seq: int, size: int) -> Messages:
    rows = Message.objects.filter(room=room, seq__gt=since_seq).select_related("agent__owner", "owner")
    found = [item_of(message) for message in rows.order_by("seq")[: size + 1]]
    shown = fitted(found[:size])
    more = len(shown) < len(found)
    pruned = bool(shown) and shown[0].seq > since_seq + 1
    return Messages(
        messages=shown,
        last_seq=room.message_seq,
        truncated=True if more or pruned else None,
        first_seq=shown[0].seq if pruned else None,
        next=shown[-1].seq if more else None,
    )
