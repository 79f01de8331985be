"""The table of expected outcomes, read from `matrix.toml`."""

from __future__ import annotations

import tomllib
from dataclasses import dataclass
from pathlib import Path
from typing import Any

from agentroom.core.contract import Tool, registry

TABLE: dict[str, Any] = tomllib.loads(Path(__file__).with_suffix(".toml").read_text(encoding="utf-8"))
AGENTS = ("same-owner outsider", "other-owner outsider", "member untrusted", "member trusted", "room admin's agent")

KINDS = ("foreign", "absent", "malformed")


@dataclass(frozen=True)
class Row:
    """One tool of the table. `ids` says per argument what a foreign, an absent and a malformed record is answered."""

    tool: Tool
    call: dict[str, Any]
    outcomes: dict[str, str]
    ids: dict[str, dict[str, str]]


def rows() -> list[Row]:
    return [_row(name, line) for name, line in TABLE["tools"].items() if isinstance(registry.get(name), Tool)]


def names() -> set[str]:
    """Every tool the table speaks of."""
    return {*TABLE["tools"], *TABLE["retired"]}


def stranger(name: str, door: str) -> str:
    expected: str | dict[str, str] = TABLE["strangers"][name]
    return expected if isinstance(expected, str) else expected[door]


def _row(name: str, line: dict[str, Any]) -> Row:
    tool = registry.get(name)
    assert isinstance(tool, Tool)
    outcomes = dict(zip(AGENTS, line["outcomes"].split(), strict=True))
    ids = {field: TABLE["ids"] | {kind: line[kind] for kind in KINDS if kind in line} for field in line.get("ids", ())}
    for field, answers in line.get("also", {}).items():
        ids[field] = dict(zip(KINDS, answers.split(), strict=True))
    return Row(tool, line["call"], outcomes, ids)
