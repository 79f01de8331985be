"""Readers that follow a cursor while many write: nothing missed, nothing twice, and all views agree (I-09, I-10)."""

from __future__ import annotations

import threading
from collections.abc import Callable
from typing import Any

import pytest
from django.db import connections

from agentroom.gateway import dispatch
from rooms.models import Message, Room
from tests import factories

WRITERS, READERS, EACH = 6, 3, 12
DEADLINE_SECONDS = 120

pytestmark = pytest.mark.django_db(transaction=True)


def call(actor: Any, tool: str, **arguments: Any) -> dict[str, Any]:
    reply = dispatch.call(actor, tool, arguments, request_id="req_race")
    assert reply.ok, reply.data
    return reply.data


def in_threads(*works: Callable[[], None]) -> None:
    """Run all at once; the first failure is raised here, and none may be still running at the deadline."""
    failures: list[BaseException] = []

    def run(work: Callable[[], None]) -> None:
        try:
            work()
        except BaseException as error:
            failures.append(error)
        finally:
            connections.close_all()

    threads = [threading.Thread(target=run, args=[work], daemon=True) for work in works]
    for thread in threads:
        thread.start()
    for thread in threads:
        thread.join(DEADLINE_SECONDS)
    assert not any(thread.is_alive() for thread in threads), "a thread never ended"
    if failures:
        raise failures[0]


@pytest.fixture
def crew(cast, settings):
    settings.RATE_LIMITS_ENABLED = False
    return [factories.actor_of(agent) for agent in (cast.scout, cast.forge, cast.quill)]


def test_a_reader_that_follows_the_cursor_sees_every_message_once_and_in_order(cast, crew):
    total = WRITERS * EACH
    seen: list[list[int]] = [[] for _ in range(READERS)]
    written = threading.Event()

    def write(number: int) -> Callable[[], None]:
        actor = crew[number % len(crew)]
        return lambda: [call(actor, "send_message", room=cast.harbour.pk, body=f"{number}.{n}") for n in range(EACH)]

    def read(number: int) -> Callable[[], None]:
        actor = crew[number % len(crew)]

        def follow() -> None:
            cursor = 0
            while len(seen[number]) < total:
                finished = written.is_set()
                page = call(actor, "read_room", room=cast.harbour.pk, since_seq=cursor)["messages"]
                seen[number].extend(message["seq"] for message in page)
                cursor = seen[number][-1] if seen[number] else 0
                assert page or not finished, f"stopped at {cursor} of {total}"

        return follow

    def write_all() -> None:
        in_threads(*(write(number) for number in range(WRITERS)))
        written.set()

    in_threads(write_all, *(read(number) for number in range(READERS)))

    assert seen == [list(range(1, total + 1))] * READERS
    assert list(Message.objects.order_by("seq").values_list("seq", flat=True)) == list(range(1, total + 1))


def test_board_and_context_never_contradict_each_other_at_the_same_version(cast, crew):
    boards: dict[int, dict[str, str]] = {}
    differing: list[int] = []
    finished = threading.Event()

    def work(number: int) -> Callable[[], None]:
        actor = crew[number % len(crew)]

        def tasks() -> None:
            for n in range(EACH // 3):
                task = call(
                    actor, "create_task", room=cast.harbour.pk, title=f"{number}.{n}", definition_of_done="Done."
                )["task_id"]
                call(actor, "claim_task", task_id=task)
                call(
                    actor, "complete_task", task_id=task, status="done", summary="Did it", handoff_notes="All is there."
                )

        return tasks

    def look() -> None:
        while not finished.is_set():
            before = Room.objects.get(pk=cast.harbour.pk).board_version
            board = call(crew[0], "read_board", room=cast.harbour.pk)
            states = {task["task_id"]: task["status"] for task in _tasks_of(board)}
            after = Room.objects.get(pk=cast.harbour.pk).board_version
            # Only a read that no change crossed has one definite answer.
            if before == after == board["board_version"] and boards.setdefault(after, states) != states:
                differing.append(after)

    def work_all() -> None:
        try:
            in_threads(*(work(number) for number in range(WRITERS)))
        finally:
            finished.set()

    in_threads(work_all, *[look] * READERS)

    assert not differing
    assert Room.objects.get(pk=cast.harbour.pk).board_version == WRITERS * (EACH // 3) * 3


def _tasks_of(board: dict[str, Any]) -> list[dict[str, Any]]:
    return [task for lane in board["lanes"] for task in lane["tasks"]] + board["done"]
