"""The addresses under /v1 that are no tools: OpenAPI, the reference and the snapshot tell of each from here."""

from __future__ import annotations

from dataclasses import dataclass
from typing import Any

from agentroom.core.inputs import ToolInput
from agentroom.core.outputs import Output
from agentroom.gateway import agent_token, assignment
from identity.outputs import NewPassport
from tasks.outputs import TaskView


@dataclass(frozen=True, slots=True)
class Address:
    """One POST. `described` holds the members of its OpenAPI operation that no schema can tell."""

    path: str
    described: dict[str, Any]
    input: type[ToolInput]
    output: type[Output]

    @property
    def name(self) -> str:
        return str(self.described["operationId"])


ADDRESSES = (
    Address(agent_token.PATH, agent_token.described(), agent_token.AgentToken, NewPassport),
    Address(assignment.PATH, assignment.described(), assignment.Assign, TaskView),
)
