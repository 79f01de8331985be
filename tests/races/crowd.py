"""Many at once: each work in a thread and on a connection of its own, all released by one barrier.

`RACE_CONTENDERS` and `RACE_ROUNDS` make the claim race bigger; give the database pool as many connections
(`AGENTROOM_DB_POOL`) as there are contenders.
"""

from __future__ import annotations

import os
import threading
from collections.abc import Callable, Sequence
from typing import Any

from django.db import connections

from agentroom.core import invariants
from agentroom.core.errors import PublicError

CONTENDERS = int(os.environ.get("RACE_CONTENDERS", "16"))
ROUNDS = int(os.environ.get("RACE_ROUNDS", "50"))
DEADLINE_SECONDS = 60

Work = Callable[[], Any]


def at_once(works: Sequence[Work]) -> list[Any]:
    """What each work came to, in order: its answer, or the public error it was refused with. Any other failure is
    raised here, and none may still run at the deadline."""
    return in_rounds(lambda number: works, 1)[0]


def in_rounds(works_of: Callable[[int], Sequence[Work]], rounds: int) -> list[list[Any]]:
    """As `at_once`, again and again by the same threads: `works_of(round)` is asked once per round, when the round
    before has ended, and must always give as many works."""
    first = works_of(0)
    crowd = _Crowd(works_of, first, rounds)
    threads = [threading.Thread(target=crowd.run, args=[place], daemon=True) for place in range(len(first))]
    for thread in threads:
        thread.start()
    for thread in threads:
        thread.join(DEADLINE_SECONDS * rounds)
    assert not any(thread.is_alive() for thread in threads), "a thread never ended"
    if crowd.failures:
        raise crowd.failures[0]
    return crowd.outcomes


def nothing_is_broken() -> bool:
    """Every invariant of every app holds over the whole database."""
    found = list(invariants.findings())
    assert not found, found
    return True


class _Crowd:
    def __init__(self, works_of: Callable[[int], Sequence[Work]], first: Sequence[Work], rounds: int) -> None:
        self._works_of, self._works, self._rounds = works_of, first, rounds
        self._round = 0
        self._barrier = threading.Barrier(len(first), action=self._next, timeout=DEADLINE_SECONDS)
        self.outcomes: list[list[Any]] = []
        self.failures: list[BaseException] = []

    def run(self, place: int) -> None:
        try:
            for _ in range(self._rounds):
                self._barrier.wait()
                self.outcomes[-1][place] = self._try(self._works[place])
        except threading.BrokenBarrierError:
            pass
        except BaseException as error:
            self.failures.append(error)
            self._barrier.abort()
        finally:
            connections.close_all()

    def _next(self) -> None:
        # Runs in one of the threads while the others wait; a failure breaks the barrier for all of them.
        try:
            if self._round:
                self._works = self._works_of(self._round)
        except BaseException as error:
            self.failures.append(error)
            raise
        self._round += 1
        self.outcomes.append([None] * len(self._works))

    @staticmethod
    def _try(work: Work) -> Any:
        try:
            return work()
        except PublicError as refused:
            return refused
