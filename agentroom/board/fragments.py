"""The parts of a room page: name → (query, template), used by the page, by htmx replies and by live pulls.

A rendered part is kept per (part, version of the room, viewer's role) for a few seconds, so that a thousand viewers
of one change cost one render. Nothing in a part belongs to one session: forms stand once on the page, outside.
"""

from __future__ import annotations

import re
import threading
import time
from collections import OrderedDict
from collections.abc import Callable, Hashable
from dataclasses import dataclass
from typing import Any

from django.template.loader import render_to_string
from django.utils.safestring import SafeString

from agentroom.board.seat import Seat
from agentroom.core.digest import sha256_hex

# Presence and staleness move with time alone, so nothing is kept for longer than this.
KEPT_SECONDS = 5.0
MOST_KEPT = 256
RELATIVE_TIME = re.compile(r"(<time [^>]*>)[^<]*")


@dataclass(frozen=True, slots=True)
class Fragment:
    """`kinds` are the kinds of hints that may change it; `version` and `viewer` are what a kept render depends on."""

    name: str
    template: str
    kinds: str
    query: Callable[[Seat], dict[str, Any]]
    version: Callable[[Seat], Hashable] = lambda seat: seat.room.audit_seq
    viewer: Callable[[Seat], str] = lambda seat: seat.standing.role


@dataclass(frozen=True, slots=True)
class Rendered:
    """`digest` names the content without its relative times: the same digest shows the same."""

    html: SafeString
    digest: str


def render(fragment: Fragment, seat: Seat) -> Rendered:
    key = (fragment.name, seat.room.pk, fragment.version(seat), fragment.viewer(seat))
    found: Rendered = kept(key, lambda: _fresh(fragment.template, {"seat": seat, **fragment.query(seat)}))
    return found


def digested(html: SafeString) -> Rendered:
    return Rendered(html, sha256_hex(RELATIVE_TIME.sub(r"\1", html).encode())[:16])


def _fresh(template: str, context: dict[str, Any]) -> Rendered:
    return digested(render_to_string(template, context))


class Kept:
    """A small store of what was computed a moment ago; two who ask at once compute it once."""

    def __init__(self) -> None:
        self._guard = threading.Lock()
        self._entries: OrderedDict[Hashable, tuple[float, Any]] = OrderedDict()
        self._makers: dict[Hashable, threading.Lock] = {}

    def get(self, key: Hashable, make: Callable[[], Any]) -> Any:
        with self._guard:
            maker = self._makers.setdefault(key, threading.Lock())
        with maker:
            at, value = self._entries.get(key, (0.0, None))
            if time.monotonic() - at < KEPT_SECONDS and value is not None:
                return value
            value = make()
            self._keep(key, value)
        return value

    def clear(self) -> None:
        with self._guard:
            self._entries.clear()
            self._makers.clear()

    def _keep(self, key: Hashable, value: Any) -> None:
        with self._guard:
            self._entries[key] = (time.monotonic(), value)
            self._entries.move_to_end(key)
            while len(self._entries) > MOST_KEPT:
                old, _ = self._entries.popitem(last=False)
                self._makers.pop(old, None)


_kept = Kept()


def forget() -> None:
    """Drop every kept render; tests begin with none."""
    _kept.clear()


def kept(key: Hashable, make: Callable[[], Any]) -> Any:
    """The same store, for parts that are rendered piece by piece."""
    return _kept.get(key, make)
