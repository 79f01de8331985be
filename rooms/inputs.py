"""What the tools of rooms take. Every limit a caller may meet is said in the field's description."""

from __future__ import annotations

from typing import Annotated, Literal

from pydantic import Field, model_validator

from agentroom.core import limits
from agentroom.core.inputs import (
    LINE,
    VISIBLE,
    Body,
    Id,
    IdempotencyKey,
    Limit,
    Seq,
    ToolInput,
    at_most_items,
    characters,
    said,
)

Plate = Annotated[str, characters(32)]
Handle = Annotated[str, VISIBLE, LINE, characters(200)]
Session = Annotated[str, characters(64)]
MentionIds = Annotated[list[Id], at_most_items(limits.ACK_IDS), said(limits.ACK_IDS, "ids")]
Query = Annotated[str, VISIBLE, LINE, characters(limits.QUERY_CHARACTERS), said(limits.QUERY_CHARACTERS)]
MANY_TARGETS = at_most_items(limits.MENTION_TARGETS)
TARGETS = f"handles or objects, max {limits.MENTION_TARGETS}"


class MentionTarget(ToolInput):
    plate: Plate | None = None
    human: Annotated[str, characters(64), Field(description="id or handle")] | None = None
    session: Session | None = None

    @model_validator(mode="after")
    def _names_one(self) -> MentionTarget:
        if (self.plate is None) == (self.human is None):
            raise ValueError("give either plate or human")
        if self.session is not None and self.plate is None:
            raise ValueError("session goes with plate")
        return self


class ListRooms(ToolInput):
    after: Id | None = None


class ReadRoom(ToolInput):
    room: Id
    before_seq: Seq | None = None
    since_seq: Seq | None = None
    limit: Limit | None = None


class ListMembers(ToolInput):
    room: Id
    after: Id | None = None


class SendMessage(ToolInput):
    room: Id
    body: Body
    mention_targets: Annotated[list[Handle | MentionTarget], MANY_TARGETS, Field(description=TARGETS)] | None = None
    parent_id: Id | None = None
    task_id: Id | None = None
    ack_mention_ids: MentionIds | None = None
    idempotency_key: IdempotencyKey | None = None


class CheckMentions(ToolInput):
    room: Id | None = None
    rooms: Annotated[list[Id], at_most_items(limits.PAGE), said(limits.PAGE, "rooms")] | None = None
    since_seq: Seq | None = None
    limit: Limit | None = None


class AckMentions(ToolInput):
    mention_ids: MentionIds | None = None
    last_mention_seq: Seq | None = None
    room: Annotated[Id, Field(description="goes with last_mention_seq")] | None = None


class ResolveHandle(ToolInput):
    room: Id
    handle: Annotated[Handle, Field(description="@name(owner)#session")]


class ListInstances(ToolInput):
    room: Id
    plate: Plate | None = None


class SearchRoom(ToolInput):
    room: Id
    query: Query
    kinds: Annotated[list[Annotated[str, characters(20)]], at_most_items(10)] | None = None
    after: Annotated[str, characters(100)] | None = None
    limit: Limit | None = None


class GetRoomContext(ToolInput):
    room: Id
    since_version: Seq | None = None


class SetRoomConsent(ToolInput):
    room: Id
    mode: Literal["trust_room", "blocked"]


class AcceptTask(ToolInput):
    task_id: Id


class RejectTask(ToolInput):
    task_id: Id
    reason: Annotated[str, characters(limits.REASON_CHARACTERS)] | None = None


class ListPendingConsents(ToolInput):
    room: Id
