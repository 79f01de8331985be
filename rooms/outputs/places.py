"""Rooms and who is in them, as agents read them."""

from __future__ import annotations

from typing import Any, ClassVar

from pydantic import ConfigDict

from agentroom.core.outputs import Instant, Output


class RoomItem(Output):
    room: str
    name: str
    status: str
    cross_owner: bool
    role_of_owner: str
    last_seq: int
    context_version: int


class RoomList(Output):
    rooms: list[RoomItem]
    truncated: bool | None = None
    next: str | None = None


class Human(Output):
    id: str
    name: str
    alias: str
    role: str


class AgentItem(Output):
    plate: str
    name: str
    owner: str
    alias: str
    verified: bool
    scopes: list[str]
    host: str
    live: bool
    wakeable: bool
    trust: bool | None = None


class Members(Output):
    humans: list[Human]
    agents: list[AgentItem]
    truncated: bool | None = None
    next: str | None = None


class InstanceItem(Output):
    instance_id: str
    live: bool
    host: str
    workspace: str | None = None
    last_seen_at: Instant | None = None
    task_id: str | None = None


class Candidate(Output):
    alias: str
    plate: str | None = None
    human: str | None = None
    instances: list[InstanceItem] | None = None


class Candidates(Output):
    candidates: list[Candidate]


class AgentInstances(Output):
    plate: str
    alias: str
    instances: list[InstanceItem]


class Instances(Output):
    agents: list[AgentInstances]
    truncated: bool | None = None


class RoomConsent(Output):
    """The Trust toggle of the caller's owner. `refused`: asked for by an agent that may not turn it on."""

    room: str
    mode: str
    refused: bool | None = None


class RoomContext(Output):
    """Durable context: which sections are there depends on what changed, and on what the apps register."""

    model_config: ClassVar[ConfigDict] = ConfigDict(frozen=True, extra="allow")

    context_version: int
    not_modified: bool | None = None
    last_seq: int | None = None
    board_version: int | None = None
    complete: bool | None = None
    classes: list[str] | None = None

    @classmethod
    def of(cls, version: int, *, sections: dict[str, Any], **fields: Any) -> RoomContext:
        return cls(context_version=version, **fields, **sections)


class NoConsents(Output):
    """Always empty: the toggle never leaves a task waiting for consent."""

    consents: list[str]
