"""One text search over what the apps register, page after page: kind by kind, each from its newest backwards."""

from __future__ import annotations

from collections.abc import Callable
from dataclasses import dataclass
from datetime import datetime

from agentroom.core.errors import Validation


@dataclass(frozen=True, slots=True, kw_only=True)
class Hit:
    """One finding. `ref` is how other tools name it: `msg:<room>#<seq>`, `file:<path>`, a task id.

    `cursor` is the `after` that continues behind this very hit.
    """

    ref: str
    cursor: str
    excerpt: str
    at: datetime
    title: str = ""


@dataclass(frozen=True, slots=True)
class Found:
    """Hits of one kind; `next` continues after them, None at the end of the kind. A page may be empty and go on."""

    hits: list[Hit]
    next: str | None = None


# search(room_id, query, after, limit): `after` is a `next` this same function gave, or None for its beginning.
Search = Callable[[str, str, str | None, int], Found]


@dataclass(frozen=True, slots=True)
class Page:
    hits: list[tuple[str, Hit]]
    next: str | None


_kinds: dict[str, tuple[int, Search]] = {}


def register(kind: str, search: Search, *, place: int = 0) -> None:
    """Called in an app's `search_kinds.py`. Kinds with a lower `place` come first."""
    _kinds[kind] = (place, search)


def kinds() -> list[str]:
    """What can be searched, in the order of the pages."""
    return sorted(_kinds, key=lambda kind: (_kinds[kind][0], kind))


def find(room_id: str, query: str, *, only: list[str] | None, after: str | None, limit: int) -> Page:
    """One page of at most `limit` hits. Raises `Validation` for an unknown kind or a cursor that is not ours."""
    wanted = _wanted(only)
    hits: list[tuple[str, Hit]] = []
    start, cursor = _position(after, wanted)
    for number, kind in enumerate(wanted[start:], start=start):
        found = _kinds[kind][1](room_id, query, cursor, limit - len(hits))
        hits.extend((kind, hit) for hit in found.hits)
        if found.next is not None:
            return Page(hits, f"{kind}:{found.next}")
        cursor = None
        if len(hits) >= limit:
            following = wanted[number + 1 :]
            return Page(hits, f"{following[0]}:" if following else None)
    return Page(hits, None)


def like(query: str) -> str:
    """`query` for a LIKE with backslash as its escape: the wildcards in it stand for themselves."""
    escaped = query.replace("\\", "\\\\").replace("%", "\\%").replace("_", "\\_")
    return f"%{escaped}%"


def _wanted(only: list[str] | None) -> list[str]:
    known = kinds()
    unknown = [kind for kind in only or [] if kind not in known]
    if unknown:
        raise Validation(
            f"kinds can be {', '.join(known)}.", fields={"kinds": f"each must be one of {', '.join(known)}"}
        )
    return [kind for kind in known if only is None or kind in only]


def _position(after: str | None, wanted: list[str]) -> tuple[int, str | None]:
    if after is None:
        return 0, None
    kind, colon, cursor = after.partition(":")
    if not colon or kind not in wanted:
        raise Validation("after must be the `next` of an earlier page.", fields={"after": "not from this search"})
    return wanted.index(kind), cursor or None
