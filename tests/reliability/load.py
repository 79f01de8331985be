"""Agents at work who do not give up: what they never heard back about, they send again with its key."""

from __future__ import annotations

import threading
from collections.abc import Callable
from dataclasses import dataclass
from typing import Any

import httpx

from tests.clients import Answer
from tests.reliability.demo import DOORS, Place
from tests.services.processes import wait_for

WORKERS = 4


@dataclass(frozen=True)
class Entry:
    """A call with its key and the first answer its caller got. `repeats`: sent again so often until then."""

    door: str
    tool: str
    arguments: dict[str, Any]
    data: dict[str, Any]
    repeats: int


class Load:
    """Runs while the `with` block does; then `entries` holds every call, each with an answer."""

    def __init__(self, place: Place) -> None:
        self.entries: list[Entry] = []
        self._place, self._over = place, threading.Event()
        self._failures: list[BaseException] = []
        self._threads = [threading.Thread(target=self._run, args=[number], daemon=True) for number in range(WORKERS)]

    def __enter__(self) -> Load:
        for thread in self._threads:
            thread.start()
        return self

    def __exit__(self, *_: object) -> None:
        self._over.set()
        for thread in self._threads:
            thread.join(120)
        assert not any(thread.is_alive() for thread in self._threads), "an agent never got its answer"
        if self._failures:
            raise self._failures[0]

    def goes_on_for(self, answers: int) -> None:
        """Wait until so many more calls have been answered."""
        target = len(self.entries) + answers
        wait_for(lambda: len(self.entries) >= target or bool(self._failures))

    def _run(self, number: int) -> None:
        work = 0
        try:
            while not self._over.is_set():
                work += 1
                self._work(DOORS[number % 2], f"{id(self)}-{number}-{work}")
        except BaseException as error:
            self._failures.append(error)

    def _work(self, door: str, name: str) -> None:
        room, first, second = self._place.room, self._place.first["plate"], self._place.second["plate"]

        def call(tool: str, **arguments: Any) -> dict[str, Any]:
            return self._insist(door, tool, {**arguments, "idempotency_key": f"{tool} {name}"[:128]})

        new = {"room": room, "definition_of_done": "Smooth."}
        call("send_message", room=room, body=name, mention_targets=[{"plate": second}])
        task = call("create_task", title=name, assignee=first, **new)["task_id"]
        key = f"next of {name}"
        after = {**new, "title": key, "assignee": second, "depends_on": [task], "idempotency_key": key}
        self._insist(door, "create_task", after)
        assert call("claim_task", task_id=task)["claimed"]
        call("complete_task", task_id=task, status="done", summary=name, handoff_notes=f"{name}\r\n")

    def _insist(self, door: str, tool: str, arguments: dict[str, Any]) -> dict[str, Any]:
        answers: list[Answer] = []
        repeats = -1

        def answered() -> bool:
            nonlocal repeats
            repeats += 1
            answer = _tried(lambda: self._place.client(door).call(tool, **arguments))
            if answer is None or answer.code == "UNAVAILABLE":
                return False
            answers.append(answer)
            return True

        wait_for(answered)
        assert answers[0].ok, answers[0].error
        self.entries.append(Entry(door, tool, arguments, answers[0].data, repeats))
        return answers[0].data


def _tried(call: Callable[[], Answer]) -> Answer | None:
    try:
        return call()
    except httpx.TransportError:
        return None
