"""The agents' contract: each tool is one record, declared once in its app's `tools.py` and collected here.

MCP schema, REST route, OpenAPI, reference page and the every-tool test matrix all derive from these records.
"""

from __future__ import annotations

import re
from collections.abc import Callable, Iterator, Sequence
from dataclasses import dataclass
from types import ModuleType
from typing import Any

from agentroom.core.errors import Forbidden, PublicError
from agentroom.core.inputs import ToolInput
from agentroom.core.limits import Bucket
from agentroom.core.outputs import Output
from agentroom.core.scopes import Scope

NAME = re.compile(r"[a-z][a-z0-9_]{1,39}")
DESCRIPTION_CHARACTERS = 400
ROUTE = re.compile(r"(GET|POST|PUT|PATCH|DELETE) [a-z_-]+(/([a-z_-]+|\{[a-z_]+\}))*")


@dataclass(frozen=True, slots=True, kw_only=True)
class Tool:
    """One tool: what it is called, what it takes and gives, who may call it, and the operation behind it.

    `operation(actor, **input fields) -> output`. `listed` is False for tools kept callable only for old callers.
    `open_world` says that the answer holds text written by others, to be read as untrusted. `routes` are further
    REST addresses of the same tool, as `"GET rooms/{room}/board"` below `/v1/`; what the path does not name comes
    from the query of a GET, else from the body.
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
    routes: tuple[str, ...] = ()

    def __post_init__(self) -> None:
        if not NAME.fullmatch(self.name):
            raise ValueError(f"{self.name!r} is not a tool name")
        if len(self.description) > DESCRIPTION_CHARACTERS:
            raise ValueError(f"the description of {self.name} is over {DESCRIPTION_CHARACTERS} characters")
        if not all(ROUTE.fullmatch(route) for route in self.routes):
            raise ValueError(f"a route of {self.name} is not of the form 'GET rooms/{{room}}/board'")

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


RoomOf = Callable[[str], str | None]


class Registry:
    """All tools by name, in a stable order (alphabetical: it does not depend on import order)."""

    def __init__(self) -> None:
        self._records: dict[str, Tool | Retired] = {}
        self._room_of: dict[str, RoomOf] = {}

    def collect(self, module: ModuleType) -> None:
        """Take what an app's `tools.py` declares: its `TOOLS`, and `ROOM_OF` for the ids that it owns."""
        self.add(module.TOOLS)
        self._room_of |= getattr(module, "ROOM_OF", {})

    def add(self, records: Sequence[Tool | Retired]) -> None:
        for record in records:
            if record.name in self._records:
                raise ValueError(f"tool {record.name} is declared twice")
            self._records[record.name] = record

    def get(self, name: str) -> Tool | Retired | None:
        return self._records.get(name)

    def room_of(self, field: str) -> RoomOf | None:
        """How to find the room of a record whose id is given as `field`, where an app has said so."""
        return self._room_of.get(field)

    def tools(self) -> Iterator[Tool]:
        """Every callable tool, listed or not, by name."""
        for _, record in sorted(self._records.items()):
            if isinstance(record, Tool):
                yield record

    def records(self) -> list[Tool | Retired]:
        return [record for _, record in sorted(self._records.items())]


registry = Registry()
