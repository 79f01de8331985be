"""A bounded waiting line of (job, arguments): each waits once; what does not fit is dropped and counted."""

from __future__ import annotations

import threading
import time

Nudge = tuple[str, tuple[str | int, ...]]

WAITING_MOST = 1000


class Nudges:
    """First in, first out. Losing one costs latency only: the row it speaks of is found by the next sweep."""

    def __init__(self, most: int = WAITING_MOST) -> None:
        self._most = most
        self._waiting: dict[Nudge, float] = {}
        self._changed = threading.Condition()
        self.dropped = 0

    def put(self, nudge: Nudge) -> None:
        with self._changed:
            if nudge in self._waiting:
                return
            if len(self._waiting) >= self._most:
                self.dropped += 1
                return
            self._waiting[nudge] = time.monotonic()
            self._changed.notify()

    def take(self, seconds: float) -> Nudge | None:
        """The oldest nudge, or None after `seconds`. It leaves the line before it runs, so that a change made
        during the run is nudged again."""
        with self._changed:
            if not self._waiting and not self._changed.wait(seconds):
                return None
            if not self._waiting:
                return None
            nudge = next(iter(self._waiting))
            del self._waiting[nudge]
            return nudge

    @property
    def oldest_seconds(self) -> float:
        """How long the nudge in front has waited."""
        with self._changed:
            return time.monotonic() - next(iter(self._waiting.values())) if self._waiting else 0.0

    def __len__(self) -> int:
        return len(self._waiting)
