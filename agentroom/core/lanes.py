"""Two threads that run jobs: the worker takes nudges, the beat keeps time; neither can delay the other."""

from __future__ import annotations

import threading
import time
from collections.abc import Callable, Sequence
from dataclasses import dataclass

from agentroom.core.nudges import Nudge, Nudges

# How long a thread may take to notice that it should end.
LOOK_UP_SECONDS = 0.5


@dataclass(frozen=True, slots=True)
class Entry:
    """One line of the schedule."""

    job: str
    arguments: tuple[str | int, ...]
    seconds: float


class Lane:
    """A thread that can be asked to end. `run` must not raise: it logs and counts its own failures."""

    name = "lane"

    def __init__(self, run: Callable[[Nudge], None]) -> None:
        self._run = run
        self._ending = threading.Event()
        self._thread: threading.Thread | None = None

    def start(self) -> None:
        if self.is_alive:
            return
        self._ending.clear()
        self._thread = threading.Thread(target=self._loop, name=self.name, daemon=True)
        self._thread.start()

    def ask_to_stop(self) -> None:
        self._ending.set()

    def stop(self, seconds: float) -> bool:
        """Ask the thread to end after its present job; whether it did within `seconds`."""
        self.ask_to_stop()
        if self._thread is not None:
            self._thread.join(seconds)
        return not self.is_alive

    @property
    def is_alive(self) -> bool:
        return self._thread is not None and self._thread.is_alive()

    def _loop(self) -> None:
        raise NotImplementedError


class Worker(Lane):
    """Runs nudges, one after the other."""

    name = "worker"

    def __init__(self, run: Callable[[Nudge], None], nudges: Nudges) -> None:
        super().__init__(run)
        self._nudges = nudges

    def _loop(self) -> None:
        while not self._ending.is_set():
            nudge = self._nudges.take(LOOK_UP_SECONDS)
            if nudge is not None:
                self._run(nudge)


class Beat(Lane):
    """Runs the schedule itself: everything once at start, then whatever has been due longest."""

    name = "beat"

    def __init__(self, run: Callable[[Nudge], None], entries: Sequence[Entry]) -> None:
        super().__init__(run)
        self._entries = sorted(entries, key=lambda entry: entry.seconds)
        self._began: dict[Entry, float] = {}

    def ages(self) -> dict[str, float]:
        """Seconds since each entry last began, by its name in the schedule; without those that never did."""
        now = time.monotonic()
        return {str((entry.arguments or (entry.job,))[0]): now - at for entry, at in list(self._began.items())}

    def _loop(self) -> None:
        due = dict.fromkeys(self._entries, time.monotonic())
        while not self._ending.is_set():
            entry = min(due, key=due.__getitem__, default=None)
            wait = LOOK_UP_SECONDS if entry is None else due[entry] - time.monotonic()
            if entry is None or wait > 0:
                self._ending.wait(min(wait, LOOK_UP_SECONDS))
                continue
            self._began[entry] = started = time.monotonic()
            self._run((entry.job, entry.arguments))
            # Never earlier than now: an entry slower than its interval goes behind the others that are due.
            due[entry] = max(started + entry.seconds, time.monotonic())
