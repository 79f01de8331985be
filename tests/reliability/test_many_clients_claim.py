"""Twenty connected agents reach for one task of the pool, through both doors of real processes (scenario 1, I-02)."""

from __future__ import annotations

import threading
from typing import Any

import pytest

from tests.clients import Answer
from tests.reliability.demo import DOORS, Place

CLIENTS = 20

pytestmark = pytest.mark.real_server


def test_of_twenty_clients_at_once_one_gets_the_task_and_each_other_its_reason(place: Place):
    place.move_on()
    for round_ in range(3):
        new = place.call("create_task", room=place.room, title=f"Sand {round_}", definition_of_done="Smooth.")
        version = place.call("read_board", room=place.room)["board_version"]
        callers = [(number % 2, f"desk-{number}") for number in range(CLIENTS)]
        answers = _at_once(place, callers, new["task_id"])

        (winner,) = [caller for caller, answer in answers.items() if answer["claimed"]]
        agents = [place.first, place.second]
        for caller, answer in answers.items():
            if caller == winner:
                assert answer["fence"] == 1
            elif caller[0] == winner[0]:
                assert answer["reason"] == "already_claimed"
                assert answer["holder"]["instance"] == winner[1] and answer["holder"]["since"]
            else:
                assert (answer["reason"], answer["assignee"]) == ("not_assigned", agents[winner[0]]["plate"])
        assert place.call("read_board", room=place.room)["board_version"] == version + 1, "one board event"


def _at_once(place: Place, callers: list[tuple[int, str]], task: str) -> dict[tuple[int, str], Answer]:
    gate, answers = threading.Barrier(len(callers), timeout=60), dict[tuple[int, str], Answer]()

    def claim(caller: tuple[int, str]) -> None:
        agents: list[dict[str, Any]] = [place.first, place.second]
        client = place.client(DOORS[len(caller[1]) % 2], agents[caller[0]])
        gate.wait()
        answers[caller] = client.call("claim_task", task_id=task, instance_id=caller[1])

    threads = [threading.Thread(target=claim, args=[caller], daemon=True) for caller in callers]
    for thread in threads:
        thread.start()
    for thread in threads:
        thread.join(120)
    assert len(answers) == len(callers), "a client never got its answer"
    return answers
