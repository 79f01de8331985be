"""Work in a child process that may be killed with -9 at any of its steps, on a database connection of its own."""

from __future__ import annotations

import json
import os
import signal
import sys
import warnings
from collections.abc import Callable
from dataclasses import dataclass
from typing import Any

from django.db import connection, connections

from tests.services.processes import wait_for

# A step is a call or return of a function in one of these: our own code, and what stands between it and the database.
WATCHED = ("/agentroom/", "/identity/", "/rooms/", "/tasks/", "/django/db/", "/psycopg/")
COMMITS = {"_commit", "commit"}


@dataclass(frozen=True)
class Lived:
    """How many steps the work has, and which of them are around its commit."""

    steps: int
    commits: list[int]

    def points(self, wanted: int) -> list[int]:
        """That many steps from the first to the last, and those right before and after the commit."""
        spread = {1 + number * (self.steps - 1) // max(wanted - 1, 1) for number in range(wanted)}
        return sorted(spread | {self.commits[0], self.commits[-1]})


def lived(work: Callable[[], Any]) -> Lived:
    """Do the work whole, in a child, and count its steps."""
    reader, writer = os.pipe()

    def counted() -> None:
        watch = _Watch(0)
        watch.over(work)
        os.write(writer, json.dumps([watch.steps, watch.commits]).encode())

    assert os.waitstatus_to_exitcode(_child(counted)) == 0, "the work failed"
    os.close(writer)
    with os.fdopen(reader, "rb") as told:
        steps, commits = json.load(told)
    return Lived(steps, commits)


def killed_at(step: int, work: Callable[[], Any]) -> bool:
    """Do the work in a child that is killed at that step. False when it came to its end before."""
    code = os.waitstatus_to_exitcode(_child(lambda: _Watch(step).over(work)))
    assert code in (0, -signal.SIGKILL), f"the work ended with {code}"
    return code != 0


def _child(work: Callable[[], None]) -> int:
    connections.close_all()
    if connection.vendor == "postgresql":
        connection.close_pool()
    with warnings.catch_warnings():
        # Python 3.12 warns of any fork beside threads; this child takes no lock that another thread may hold.
        warnings.simplefilter("ignore", DeprecationWarning)
        pid = os.fork()
    if pid == 0:
        try:
            work()
            connections.close_all()
            os._exit(0)
        finally:
            os._exit(1)
    ended: list[int] = []

    def over() -> bool:
        done, status = os.waitpid(pid, os.WNOHANG)
        if done:
            ended.append(status)
        return bool(done)

    wait_for(over)
    return ended[0]


class _Watch:
    def __init__(self, deadly: int) -> None:
        self.steps, self.commits, self._deadly = 0, list[int](), deadly

    def over(self, work: Callable[[], Any]) -> None:
        sys.setprofile(self._step)
        try:
            work()
        finally:
            sys.setprofile(None)

    def _step(self, frame: Any, event: str, argument: Any) -> None:
        code = frame.f_code
        if event not in {"call", "return"} or not any(part in code.co_filename for part in WATCHED):
            return
        self.steps += 1
        if code.co_name in COMMITS:
            self.commits.append(self.steps)
        if self.steps == self._deadly:
            os.kill(os.getpid(), signal.SIGKILL)
