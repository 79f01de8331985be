"""What the tools of rooms take. Every limit a caller may meet is said in the field's description."""

from __future__ import annotations

from typing import Annotated, Literal

from pydantic import Field, model_validator

from agentroom.core import limits
from agentroom.core.inputs import LINE, VISIBLE, Body, Id, IdempotencyKey, Limit, Seq, ToolInput, characters, said

Plate = Annotated[str, Field(max_length=32)]
Handle = Annotated[str, VISIBLE, LINE, characters(200)]
Session = Annotated[str, Field(max_length=64)]
MentionIds = Annotated[list[Id], Field(max_length=limits.ACK_IDS, description=f"max {limits.ACK_IDS}")]
Query = Annotated[str, VISIBLE, LINE, characters(limits.QUERY_CHARACTERS), said(limits.QUERY_CHARACTERS)]
PageLimit = Annotated[Limit, Field(description=f"default {limits.PAGE}, max {limits.PAGE_MAX}")]


class MentionTarget(ToolInput):
    plate: Plate | None = None
    human: Annotated[str, Field(max_length=64, description="id or handle")] | None = None
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
    limit: PageLimit | None = None


class ReadRoom(ToolInput):
    room: Id
    before_seq: Seq | None = None
    since_seq: Seq | None = None
    limit: PageLimit | None = None


class ListMembers(ToolInput):
    room: Id
    after: Id | None = None


class SendMessage(ToolInput):
    room: Id
    body: Body
    mention_targets: (
        Annotated[
            list[Handle | MentionTarget],
            Field(max_length=limits.MENTION_TARGETS, description=f"handles or objects, max {limits.MENTION_TARGETS}"),
        ]
        | None
    ) = None
    parent_id: Id | None = None
    task_id: Id | None = None
    ack_mention_ids: MentionIds | None = None
    idempotency_key: IdempotencyKey | None = None


class CheckMentions(ToolInput):
    room: Id | None = None
    rooms: Annotated[list[Id], Field(max_length=limits.ROOMS_PER_OWNER)] | None = None
    since_seq: Seq | None = None
    limit: PageLimit | None = None


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
    kinds: Annotated[list[Annotated[str, Field(max_length=20)]], Field(max_length=10)] | None = None
    after: Annotated[str, Field(max_length=100, description="`next` of a page")] | None = None
    limit: PageLimit | None = None


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
    reason: Annotated[str, Field(max_length=limits.REASON_CHARACTERS)] | None = None


class ListPendingConsents(ToolInput):
    room: Id
