"""What the operations and queries of tasks answer."""

from __future__ import annotations

from typing import Annotated, Required

from pydantic import ConfigDict, Field, SkipValidation
from typing_extensions import TypedDict

from agentroom.core.outputs import Instant, Output
from rooms.outputs import Pending


class Stale(Output):
    """Why a task needs a person's eye, and since when."""

    reason: str
    since: Instant


class Holder(Output):
    """Who has the lock. `same_instance`: it is the very instance that asks."""

    instance: str
    since: Instant
    same_instance: bool | None = None


class Note(Output):
    """The handoff notes of one completed prerequisite, byte for byte."""

    model_config = ConfigDict(frozen=True, populate_by_name=True, serialize_by_alias=True)

    task_id: str
    title: str
    author: str = Field(validation_alias="from", serialization_alias="from")
    notes: str


class Payload(Output):
    """A task as its assignee reads it first: on a wake, on a claim and in room context (wakes.md 4)."""

    task_id: str
    title: str
    definition_of_done: str
    detail: str | None = None
    spec_ref: str | None = None
    depends_on: list[str] = []
    handoff_notes: list[Note] = []


class Claim(Output):
    """The lock, or the reason why not with the facts to act on."""

    claimed: bool
    reason: str | None = None
    holder: Holder | None = None
    assignee: str | None = None
    blocked_by: list[str] | None = None
    states: dict[str, str] | None = None
    task: Payload | None = None
    lease_expires_at: Instant | None = None
    fence: int | None = None


class Record(Output):
    """The close-out of a step, as it stands on the board. Handoff notes reach the successors, not the board."""

    task_id: str
    plate: str
    status: str
    summary: str
    artifacts: list[str] = []
    next: str | None = None
    created_at: Instant


class TaskState(Output):
    """Where a task stands, without its long texts."""

    task_id: str
    title: str
    status: str
    assignee: str | None = None
    fence: int
    reason: str | None = None
    depends_on: list[str] | None = None
    blocked_by: list[str] | None = None
    states: dict[str, str] | None = None
    holder: Holder | None = None
    lease_expires_at: Instant | None = None
    stale: bool | None = None
    stale_reason: str | None = None
    stale_since: Instant | None = None
    claimable: bool | None = None
    archived: bool | None = None
    revision: int


class TaskView(TaskState):
    """The whole task."""

    room: str
    definition_of_done: str
    detail: str | None = None
    spec_ref: str | None = None
    order: int
    consent: str
    lock_policy: str
    deadline: Instant | None = None
    created_by: str
    created_at: Instant
    updated_at: Instant
    records: list[Record] | None = None


class Unblocked(Output):
    """A task that became ready. `outcome` says what ringing its assignee came to."""

    task_id: str
    assignee: str | None = None
    mention_id: str | None = None
    outcome: str | None = None


class Completion(Output):
    task: TaskState
    record: Record
    unblocked: list[Unblocked]
    acked: list[str] | None = None
    pending: Pending


class Renewal(Output):
    lease_expires_at: Instant
    fence: int
    pending: Pending


class Row(TypedDict, total=False):
    """One task on the board, in as few bytes as tell a reader whether to look closer.

    `claimable`: the agent that reads could claim it now. `fence` is left off where it is 0: nobody has held it yet.
    A plain dict of what is there: a model for each of two hundred tasks would cost as much as reading them.
    """

    task_id: Required[str]
    title: Required[str]
    status: Required[str]
    blocked_by: list[str]
    states: dict[str, str]
    reason: str
    stale: bool
    stale_reason: str
    stale_since: Instant
    claimable: bool
    fence: int
    assignee: str
    summary: str
    artifacts: list[str]
    finished_at: Instant


Rows = Annotated[list[Row], SkipValidation]


class Lane(Output):
    """The open tasks of one agent, in their order; without `assignee` the unassigned pool."""

    assignee: str | None = None
    agent: str | None = None
    tasks: Rows


class BoardPage(Output):
    """The board, or the part of it that fits. `done_next` leads to what was finished earlier."""

    board_version: int | None = None
    not_modified: bool | None = None
    time_flags: dict[str, list[str]] | None = None
    lanes: list[Lane] | None = None
    done: Rows | None = None
    task: TaskView | None = None
    truncated: bool | None = None
    next: str | None = None
    done_next: str | None = None


class Noticed(Output):
    """How many stale episodes began or ended."""

    tasks: int
