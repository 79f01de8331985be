"""Sections of room context: each app adds its own, and `get_room_context` puts them together."""

from __future__ import annotations

from collections.abc import Callable, Iterable
from dataclasses import dataclass
from typing import Any

from identity.actors import Actor
from rooms.access import Standing
from rooms.ledger import ContextClass

# section(standing, actor) -> JSON-ready value or Output, or None for nothing to say.
Section = Callable[[Standing, Actor], Any]


@dataclass(frozen=True, slots=True)
class _Registered:
    classes: frozenset[ContextClass]
    section: Section


_sections: dict[str, _Registered] = {}


def register(name: str, classes: Iterable[ContextClass], section: Section) -> None:
    """Called in an app's `context.py`. `name` is the member of the answer; it is sent when one of `classes` moved."""
    _sections[name] = _Registered(frozenset(classes), section)


def sections(changed: frozenset[ContextClass]) -> dict[str, Section]:
    """The registered sections that depend on one of the changed classes, by name."""
    return {name: known.section for name, known in sorted(_sections.items()) if known.classes & changed}
