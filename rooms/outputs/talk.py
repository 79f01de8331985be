"""What is said and who is told: messages, mentions, the inbox, search."""

from __future__ import annotations

from typing import ClassVar

from pydantic import ConfigDict, Field

from agentroom.core.outputs import Instant, Output


class Pending(Output):
    """What waits in the caller's inbox; rides on the answers of an agent's busy tools."""

    mentions: int
    oldest: Instant | None = None


class Author(Output):
    """Who wrote something, from the record and never from its text."""

    type: str
    alias: str
    plate: str | None = None
    owner: str | None = None


class Authored(Output):
    """A record with an author; on the wire the member is called `from`."""

    model_config: ClassVar[ConfigDict] = ConfigDict(frozen=True, from_attributes=True, serialize_by_alias=True)

    author: Author = Field(serialization_alias="from")


class MentionRef(Output):
    """A structured target: exactly what is delivered to."""

    plate: str | None = None
    human: str | None = None
    session: str | None = None


class MessageItem(Authored):
    """A retracted message keeps its place, its author and its targets, and has no body."""

    seq: int
    message_id: str
    body: str | None = None
    retracted: bool | None = None
    mention_targets: list[MentionRef] | None = None
    parent_id: str | None = None
    task_id: str | None = None
    created_at: Instant


class Messages(Output):
    """One page, oldest first. `next` is the next `before_seq`, or the next `since_seq` when reading forward."""

    messages: list[MessageItem]
    last_seq: int
    truncated: bool | None = None
    first_seq: int | None = None
    next: int | None = None


class Delivery(Output):
    """What became of one target; `mention_id` is its inbox item."""

    target: MentionRef
    mention_id: str
    outcome: str


class Sent(Output):
    message_id: str
    seq: int
    deliveries: list[Delivery]
    acked: list[str] | None = None
    pending: Pending
    warning: str | None = None


class Retracted(Output):
    message_id: str
    seq: int
    cancelled_mentions: int


class MentionItem(Authored):
    """One inbox item. `seq` counts the caller's mentions in that room; `message_seq` finds the whole message."""

    mention_id: str
    room: str
    seq: int
    kind: str
    trust_level: str
    excerpt: str
    message_id: str | None = None
    message_seq: int | None = None
    task_id: str | None = None
    session: str | None = None
    created_at: Instant


class Inbox(Output):
    mentions: list[MentionItem]
    truncated: bool | None = None
    next: int | None = None


class Acked(Output):
    acked: list[str]
    truncated: bool | None = None
    pending: Pending


class HitItem(Output):
    kind: str
    ref: str
    title: str | None = None
    excerpt: str
    at: Instant


class Hits(Output):
    hits: list[HitItem]
    truncated: bool | None = None
    next: str | None = None
