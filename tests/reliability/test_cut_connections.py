"""A connection reset anywhere in the request or in the answer, then the same call again: one effect (T-05, I-12).

`CUTS` says at how many offsets of each.
"""

from __future__ import annotations

import os
from collections.abc import Callable
from typing import Any

import pytest

from tests.races.acts import NOTES, keyed
from tests.reliability.cutting import cut
from tests.reliability.demo import DOORS, Place

CUTS = int(os.environ.get("CUTS", "4"))
# From before the first byte to behind the last: everything is sent, and nothing of the answer is waited for.
OFFSETS = [number / (CUTS - 1) for number in range(CUTS)]

pytestmark = pytest.mark.real_server


def _new_task(on: Place, **more: Any) -> str:
    fields = {"title": "Sand", "definition_of_done": "Smooth.", "assignee": on.first["plate"], **more}
    return str(on.call("create_task", room=on.room, **fields)["task_id"])


def _message(on: Place, word: str) -> tuple[dict[str, Any], Callable[[], Any]]:
    arguments = {"room": on.room, "body": word, "mention_targets": [{"plate": on.second["plate"]}]}
    return arguments, lambda: (_found(on, word), _rung(on, lambda item: item["excerpt"] == word))


def _creation(on: Place, word: str) -> tuple[dict[str, Any], Callable[[], Any]]:
    arguments = {"room": on.room, "title": word, "definition_of_done": "Smooth.", "assignee": on.second["plate"]}
    return arguments, lambda: (_found(on, word), 1)


def _claim(on: Place, word: str) -> tuple[dict[str, Any], Callable[[], Any]]:
    task = _new_task(on)
    return {"task_id": task}, lambda: (_state(on, task) == ("doing", 1), 1)


def _completion(on: Place, word: str) -> tuple[dict[str, Any], Callable[[], Any]]:
    task = _new_task(on)
    after = _new_task(on, assignee=on.second["plate"], depends_on=[task])
    on.call("claim_task", task_id=task)
    arguments = {"task_id": task, "status": "done", "summary": word, "handoff_notes": NOTES}
    rung = lambda: _rung(on, lambda item: item.get("task_id") == after)  # noqa: E731
    return arguments, lambda: (_state(on, task) == ("done", 1), rung())


CALLS = {
    "send_message": _message,
    "create_task": _creation,
    "claim_task": _claim,
    "complete_task": _completion,
}


def test_every_tool_with_a_key_is_cut_here():
    assert sorted(CALLS) == keyed()


@pytest.mark.parametrize("door", DOORS)
@pytest.mark.parametrize("tool", sorted(CALLS))
def test_a_call_whose_connection_was_cut_has_one_effect_once_it_is_repeated(place: Place, door, tool, record_property):
    client = place.client(door)
    whole, _ = CALLS[tool](place, f"whole{tool}{door}")
    length = len(client.call(tool, **whole).raw) + 200
    cuts = [{"sent": part} for part in OFFSETS] + [{"received": part, "answer_bytes": length} for part in OFFSETS]
    record_property("cut connections", len(cuts))
    for number, where in enumerate(cuts):
        arguments, effect = CALLS[tool](place, f"cut{number}{tool}{door}")
        arguments |= {"idempotency_key": f"{tool} {door} {number}"}
        cut(client, tool, arguments, place.server.url, **where)
        # Another copy of the call may still be at work; the key makes this one wait for it.
        first, again = (client.call(tool, **arguments) for _ in range(2))
        assert first.ok, first.error
        assert first.data == again.data
        assert effect() == (1, 1), where


def _found(on: Place, word: str) -> int:
    return len(on.call("search_room", room=on.room, query=word)["hits"])


def _rung(on: Place, which: Callable[[dict[str, Any]], bool]) -> int:
    """How often the second agent was rung; everything it finds is acknowledged."""
    mine = on.client("rest", on.second)
    found = mine.call("check_mentions", room=on.room)["mentions"]
    mine.call("ack_mentions", mention_ids=[item["mention_id"] for item in found])
    return sum(which(item) for item in found)


def _state(on: Place, task: str) -> tuple[str, int]:
    shown = on.call("read_board", room=on.room, task_id=task)["task"]
    return shown["status"], shown["fence"]
