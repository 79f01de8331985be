"""What the tools of tasks take."""

from __future__ import annotations

from typing import Annotated, Literal

from pydantic import AwareDatetime, Field

from agentroom.core import limits
from agentroom.core.inputs import (
    DefinitionOfDone,
    Detail,
    Fence,
    HandoffNotes,
    Id,
    IdempotencyKey,
    Reason,
    Reference,
    Seq,
    Summary,
    Title,
    ToolInput,
    at_most_items,
    between,
    characters,
    said,
)

Plate = Annotated[str, characters(32), Field(description="plate")]
Order = Annotated[int, between(-(2**62), 2**62)]
Instance = Annotated[str, characters(64)]
DependsOn = Annotated[tuple[Id, ...], at_most_items(limits.DEPENDENCIES), said(limits.DEPENDENCIES, "task ids")]
Artifacts = Annotated[
    tuple[Reference, ...],
    at_most_items(limits.ARTIFACTS),
    Field(description=f"file:<path>[@<version>] or msg:<room>#<seq>, max {limits.ARTIFACTS}"),
]
AckIds = Annotated[tuple[Id, ...], at_most_items(limits.ACK_IDS), Field(description="mention ids handled")]
Next = Annotated[Summary, Field(description="what comes next, one line")]
SpecRef = Annotated[Reference, Field(description="file:<path>[@<version>]")]


class CreateTask(ToolInput):
    room: Id
    title: Title
    definition_of_done: DefinitionOfDone
    assignee: Plate | None = None
    detail: Detail | None = None
    order: Order | None = None
    depends_on: DependsOn = ()
    spec_ref: SpecRef | None = None
    deadline: AwareDatetime | None = None
    idempotency_key: IdempotencyKey | None = None


class UpdateTask(ToolInput):
    task_id: Id
    title: Title | None = None
    detail: Detail | None = None
    definition_of_done: DefinitionOfDone | None = None
    order: Order | None = None
    depends_on: DependsOn | None = None
    spec_ref: SpecRef | None = None
    fence: Fence | None = None
    expected_revision: Seq | None = None


class ClaimTask(ToolInput):
    task_id: Id
    instance_id: Instance | None = None
    idempotency_key: IdempotencyKey | None = None


class RenewLease(ToolInput):
    task_id: Id
    instance_id: Instance | None = None
    fence: Fence | None = None


class ReleaseTask(ToolInput):
    task_id: Id
    fence: Fence | None = None


class CompleteTask(ToolInput):
    task_id: Id
    status: Literal["done", "blocked", "failed"]
    summary: Summary
    handoff_notes: HandoffNotes | None = None
    artifacts: Artifacts = ()
    ack_ids: AckIds = ()
    next: Next | None = None
    fence: Fence | None = None
    idempotency_key: IdempotencyKey | None = None


class SetStatus(ToolInput):
    task_id: Id
    status: Literal["todo", "doing", "blocked", "failed", "cancelled", "done"]
    reason: Reason | None = None
    summary: Summary | None = None
    artifacts: Artifacts = ()
    next: Next | None = None
    fence: Fence | None = None


class ReadBoard(ToolInput):
    room: Id
    assignee: Plate | None = None
    status: Literal["todo", "doing", "blocked", "failed", "done", "cancelled"] | None = None
    since_version: Seq | None = None
    task_id: Id | None = None
    after: Annotated[str, characters(120)] | None = None


class ArchiveTask(ToolInput):
    task_id: Id
    fence: Fence | None = None
