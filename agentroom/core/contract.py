"""The agents' contract: each tool is one record, declared once in its app's `tools.py` and collected here.

MCP schema, REST route, OpenAPI, reference page and the every-tool test matrix all derive from these records.
"""

from __future__ import annotations

import re
from collections.abc import Callable, Iterator
from dataclasses import dataclass
from typing import Any

from agentroom.core.errors import Forbidden, PublicError
from agentroom.core.inputs import ToolInput
from agentroom.core.limits import Bucket
from agentroom.core.outputs import Output
from agentroom.core.scopes import Scope

NAME = re.compile(r"[a-z][a-z0-9_]{1,39}")
DESCRIPTION_CHARACTERS = 400


@dataclass(frozen=True, slots=True, kw_only=True)
class Tool:
    """One tool: what it is called, what it takes and gives, who may call it, and the operation behind it.

    `operation(actor, **input fields) -> output`. `listed` is False for tools kept callable only for old callers.
    `open_world` says that the answer holds text written by others, to be read as untrusted.
    """

    name: str
    operation: Callable[..., Any]
    input: type[ToolInput]
    output: type[Output]
    scope: Scope
    bucket: Bucket
    description: str
    read_only: bool = False
    idempotent: bool = False
    destructive: bool = False
    open_world: bool = False
    listed: bool = True

    def __post_init__(self) -> None:
        if not NAME.fullmatch(self.name):
            raise ValueError(f"{self.name!r} is not a tool name")
        if len(self.description) > DESCRIPTION_CHARACTERS:
            raise ValueError(f"the description of {self.name} is over {DESCRIPTION_CHARACTERS} characters")

    def run(self, actor: Any, arguments: ToolInput) -> Output:
        result: Output = self.operation(actor, **arguments.arguments())
        return result


@dataclass(frozen=True, slots=True, kw_only=True)
class Retired:
    """A tool that is gone: never listed, and calling it always answers `message` as FORBIDDEN."""

    name: str
    message: str
    error: type[PublicError] = Forbidden
    bucket: Bucket = Bucket.WRITE


class Registry:
    """All tools by name, in a stable order (alphabetical: it does not depend on import order)."""

    def __init__(self) -> None:
        self._records: dict[str, Tool | Retired] = {}

    def add(self, records: list[Tool | Retired]) -> None:
        for record in records:
            if record.name in self._records:
                raise ValueError(f"tool {record.name} is declared twice")
            self._records[record.name] = record

    def get(self, name: str) -> Tool | Retired | None:
        return self._records.get(name)

    def tools(self) -> Iterator[Tool]:
        """Every callable tool, listed or not, by name."""
        for _, record in sorted(self._records.items()):
            if isinstance(record, Tool):
                yield record

    def records(self) -> list[Tool | Retired]:
        return [record for _, record in sorted(self._records.items())]


registry = Registry()
