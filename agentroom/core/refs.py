"""References from one domain to another (`file:…`, `msg:…`), resolved without importing the other app.

An app registers a resolver for its prefix in its `refs.py`; tasks ask here inside their transaction.
"""

from __future__ import annotations

from collections.abc import Callable

from agentroom.core.errors import Validation

# resolve(room_id, rest) -> the reference as it is to be stored, or None when absent or not readable in that room.
Resolver = Callable[[str, str], str | None]

_resolvers: dict[str, Resolver] = {}


def register(prefix: str, resolver: Resolver) -> None:
    _resolvers[prefix] = resolver


def resolve(room_id: str, reference: str, *, field: str) -> str:
    """The stored form of `reference`. Raises `Validation` naming `field` when nothing readable is there."""
    prefix, colon, rest = reference.partition(":")
    resolver = _resolvers.get(prefix)
    if not colon or resolver is None:
        known = " or ".join(f"{name}:…" for name in sorted(_resolvers))
        raise Validation(f"{field} must be a reference of the form {known}.", fields={field: f"not {known}"})
    stored = resolver(room_id, rest)
    if stored is None:
        raise Validation(
            f"{field} points at something that does not exist or cannot be read in this room.",
            fields={field: "not found in this room"},
        )
    return stored
