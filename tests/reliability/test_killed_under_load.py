"""kill -9 of a server at work, then a start: nothing acknowledged is lost, half done or done twice (I-11, I-12).

`KILLS` says how often, `SEED` when: after how many more answers.
"""

from __future__ import annotations

import os
import random
from collections import Counter

import pytest

from tests.reliability.demo import Place
from tests.reliability.load import Entry, Load

KILLS = int(os.environ.get("KILLS", "2"))
SEED = int(os.environ.get("SEED", "0")) or random.SystemRandom().randrange(1, 10**6)
# The 500 unarchived tasks of a room are work for so many kills; each further lot gets a room of its own.
KILLS_A_ROOM = 4

pytestmark = pytest.mark.real_server


def test_what_was_acknowledged_survives_and_what_was_not_is_settled_by_its_key(place: Place, record_property):
    print(f"SEED={SEED}")
    record_property("kills", KILLS)
    chance = random.Random(SEED)
    for left in range(KILLS, 0, -KILLS_A_ROOM):
        place.move_on()
        with Load(place) as load:
            for _ in range(min(left, KILLS_A_ROOM)):
                load.goes_on_for(chance.randrange(8, 24))
                place.kill()
                place.start()
            load.goes_on_for(8)
        assert any(entry.repeats for entry in load.entries), "no call was ever cut"
        record_property("acknowledged writes", len(load.entries))
        _require_the_same_answers_again(place, load.entries)
        _require_each_effect_once(place, load.entries)
    place.audit()


def _require_the_same_answers_again(place: Place, entries: list[Entry]) -> None:
    for entry in entries:
        again = place.client(entry.door).call(entry.tool, **entry.arguments)
        assert again.ok, (entry, again.error)
        assert again.data == entry.data


def _require_each_effect_once(place: Place, entries: list[Entry]) -> None:
    of = {tool: [entry for entry in entries if entry.tool == tool] for tool in {entry.tool for entry in entries}}
    messages = place.messages()
    assert [message["seq"] for message in messages] == list(range(1, len(messages) + 1))
    shown = {message["message_id"]: message["body"] for message in messages}
    for sent in of["send_message"]:
        assert shown[sent.data["message_id"]] == sent.arguments["body"]
    assert Counter(shown.values()) == Counter(sent.arguments["body"] for sent in of["send_message"])
    tasks = place.tasks()
    assert sorted(task["title"] for task in tasks.values()) == sorted(
        made.arguments["title"] for made in of["create_task"]
    )
    assert {taken.data["fence"] for taken in of["claim_task"]} == {1}
    assert {tasks[done.arguments["task_id"]]["status"] for done in of["complete_task"]} == {"done"}
    rung = Counter(item["task_id"] for item in place.inbox(place.second) if item.get("task_id"))
    freed = [task["task_id"] for done in of["complete_task"] for task in done.data["unblocked"]]
    assert len(freed) == len(set(freed)) == len(of["complete_task"])
    assert rung == Counter(freed)
