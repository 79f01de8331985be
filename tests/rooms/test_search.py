"""Search: text found where it stands, wildcards taken literally, pages that end."""

from __future__ import annotations

import pytest

from agentroom.core.clock import db_now
from rooms import search_kinds
from rooms.models import Message, Room
from rooms.operations.messages import retract_message, send_message
from tests import factories


@pytest.fixture
def say(harbour, scout):
    actor = factories.actor_of(scout)
    return lambda body: send_message(actor, room=harbour.pk, body=body)


@pytest.fixture
def search(call, quill, harbour):
    """`search("paint", limit=2)`: quill searches the messages of Harbour."""

    def run(query, **more):
        return call(quill, "search_room", room=harbour.pk, query=query, kinds=["message"], **more)

    return run


def refs(answer):
    return [hit["ref"].rpartition("#")[2] for hit in answer["hits"]]


def test_a_message_is_found_whatever_its_case(connect, cast, say):
    say("The hull is BLUE")
    answer = connect(cast.quill).call("search_room", room=cast.harbour.pk, query="is blue")
    [hit] = answer["hits"]
    assert (hit["kind"], hit["ref"], hit["title"]) == ("message", f"msg:{cast.harbour.pk}#1", "@scout(ada)")
    assert hit["excerpt"] == "The hull is BLUE"


@pytest.mark.parametrize("query", ["100%", "a_b", "c\\d", "äöÜ", "'quoted'", "Привет"])
def test_signs_stand_for_themselves(say, search, query):
    say("100 axb cd aou quoted")
    say(f"so: {query.upper()}!")
    assert refs(search(query)) == ["2"]


def test_the_newest_come_first_and_pages_follow(say, search):
    for number in range(1, 8):
        say(f"buoy {number}" if number % 2 else "quiet")
    first = search("buoy", limit=3)
    assert (refs(first), first["truncated"]) == (["7", "5", "3"], True)
    rest = search("buoy", limit=3, after=first["next"])
    assert (refs(rest), "next" in rest.data) == (["1"], False)


def test_history_is_looked_through_a_stretch_at_a_time(say, search, monkeypatch):
    monkeypatch.setattr(search_kinds, "SEARCHED_MESSAGES", 3)
    say("anchor")
    for _ in range(7):
        say("quiet")
    found, after, pages = [], None, 0
    while pages < 9:
        page = search("anchor", **({"after": after} if after else {}))
        found, pages = found + refs(page), pages + 1
        after = page.data.get("next")
        if after is None:
            break
    assert (found, pages) == (["1"], 3)


def test_many_wide_hits_fit_the_cap_and_none_is_lost(say, search):
    for _ in range(90):
        say("\u20ac" * 400)
    seen, after = [], None
    for _ in range(9):
        page = search("\u20ac\u20ac", limit=200, **({"after": after} if after else {}))
        assert len(page.raw) <= 40 * 1024
        seen += refs(page)
        after = page.data.get("next")
        if after is None:
            break
    assert seen == [str(seq) for seq in range(90, 0, -1)]


def test_what_was_retracted_is_not_found(say, search, scout, harbour):
    sent = say("hunter2")
    retract_message(factories.actor_of(scout), room=harbour.pk, message_id=sent.message_id)
    assert search("hunter2")["hits"] == []


def test_other_rooms_are_not_searched(say, search, call, quill, ada, harbour):
    lagoon = factories.make_room("Lagoon", admin=ada)
    Message.objects.create(room=lagoon, seq=1, owner=ada, body="treasure", created_at=db_now())
    Room.objects.filter(pk=lagoon.pk).update(message_seq=1)
    assert search("treasure")["hits"] == []
    assert call(quill, "search_room", room=lagoon.pk, query="treasure").code == "NOT_FOUND"


def test_tasks_are_found_before_messages(say, call, quill, scout, harbour):
    say("mend the sail")
    task = factories.make_task(harbour, "Mend the sail", creator=scout)
    hits = call(quill, "search_room", room=harbour.pk, query="mend")["hits"]
    assert [(hit["kind"], task.pk in hit["ref"]) for hit in hits] == [("task", True), ("message", False)]
    one = call(quill, "search_room", room=harbour.pk, query="mend", limit=1)
    [hit] = call(quill, "search_room", room=harbour.pk, query="mend", limit=1, after=one["next"])["hits"]
    assert hit["kind"] == "message"


@pytest.mark.parametrize("after", ["message", "message:x", "message:-1", "ghost:1", "message:" + "9" * 40])
def test_a_cursor_that_is_not_ours_is_refused(search, after):
    assert search("x", after=after).code == "VALIDATION"


def test_an_unknown_kind_is_refused_with_the_known_ones(call, quill, harbour):
    refused = call(quill, "search_room", room=harbour.pk, query="x", kinds=["ghost"])
    assert "message" in refused.error["fields"]["kinds"]
