"""Resource routes: other addresses of the same tools, read from the tool records.

Path, query and body become the arguments of one tool call; everything after that is the tool's own.
"""

from __future__ import annotations

import re
from collections.abc import Iterator
from dataclasses import dataclass
from typing import Any

from django.http import QueryDict

from agentroom.core import guard
from agentroom.core.contract import Tool, registry
from agentroom.core.errors import Validation
from agentroom.core.ids import ALPHABET, ULID_LENGTH
from agentroom.core.schema import input_schema

PLACEHOLDER = re.compile(r"{([a-z_]+)}")
ID = re.compile(f"[{ALPHABET}]{{{ULID_LENGTH}}}")
PARAMETER = re.compile(r"[a-z_]{1,64}")
INTEGER = re.compile(r"-?[0-9]{1,19}")
# No id was ever minted at the beginning of 1970: the tool answers as for any absent record.
ABSENT = "0" * ULID_LENGTH


@dataclass(frozen=True, slots=True)
class Alias:
    """One method of one address, and the tool it calls."""

    tool: Tool
    method: str
    path: str

    @property
    def placeholders(self) -> list[str]:
        return PLACEHOLDER.findall(self.path)

    def arguments(self, path: dict[str, str], query: QueryDict, body: object) -> object:
        """The arguments of the tool: what the address names, and the query of a GET or the body of the rest."""
        given = self._queried(query) if self.method == "GET" else body
        if not isinstance(given, dict):
            return given
        for name in path:
            if name in given:
                problem = "is named by the address already"
                raise Validation(f"{name} {problem}. Leave it out. Nothing was changed.", fields={name: problem})
        return {**given, **placed(path, has_room="room" in self.tool.input.model_fields)}

    def _queried(self, query: QueryDict) -> dict[str, Any]:
        properties = input_schema(self.tool.input)["properties"]
        given = {name: _parsed(name, values, properties.get(name, {})) for name, values in query.lists()}
        guard.check(given, "query")
        return given


@dataclass(frozen=True, slots=True)
class Resource:
    """One address with its methods."""

    path: str
    methods: dict[str, Alias]


def placed(path: dict[str, str], *, has_room: bool) -> dict[str, str]:
    """The values of a path. A malformed id, or one that is not of the path's room, is as absent as any other.

    With `has_room` the call itself takes the room and looks there; else the room of the record is compared here.
    """
    guard.check(path, "address")
    values = {name: _id(value) if _is_id(name) else value for name, value in path.items()}
    if "room" in values and not has_room:
        for name, value in values.items():
            room_of = registry.room_of(name)
            if room_of is not None and room_of(value) != values["room"]:
                values[name] = ABSENT
    return values


def aliases() -> Iterator[Alias]:
    """Every route that a tool names, by tool."""
    for tool in registry.tools():
        for route in tool.routes:
            method, _, path = route.partition(" ")
            yield Alias(tool, method, path)


def resources() -> list[Resource]:
    """The same by address. Two tools that name one method of one address are a mistake in the contract."""
    found: dict[str, dict[str, Alias]] = {}
    for alias in aliases():
        if found.setdefault(alias.path, {}).setdefault(alias.method, alias) is not alias:
            raise ValueError(f"{alias.method} {alias.path} is named by two tools")
    return [Resource(path, methods) for path, methods in sorted(found.items())]


def _is_id(name: str) -> bool:
    return name == "room" or name.endswith("_id")


def _id(text: str) -> str:
    return text.upper() if ID.fullmatch(text.upper()) else ABSENT


def _parsed(name: str, values: list[str], schema: dict[str, Any]) -> Any:
    """A query's text as the JSON value its field wants; what does not fit stays text, for the tool to refuse."""
    if schema.get("type") == "array":
        return values
    if len(values) > 1:
        problem = "is given more than once"
        shown = name if PARAMETER.fullmatch(name) else "query"
        raise Validation(f"The query was refused: {shown} {problem}.", fields={shown: problem})
    text = values[0]
    if schema.get("type") == "integer" and INTEGER.fullmatch(text):
        return int(text)
    if schema.get("type") == "boolean" and text in {"true", "false"}:
        return text == "true"
    return text
