"""Reading messages: pages from a cursor, tombstones, and answers of bounded size."""

from __future__ import annotations

import pytest

from agentroom.core.errors import Forbidden, NotFound
from agentroom.core.limits import BODY_BYTES, RESULT_BYTES
from rooms.models import Mention, Message
from rooms.operations.messages import retract_message, send_message
from tests import factories


@pytest.fixture
def say(harbour, scout):
    """`say("Hello")`: scout speaks in Harbour."""
    actor = factories.actor_of(scout)
    return lambda body, **more: send_message(actor, room=harbour.pk, body=body, **more)


def bodies(answer):
    return [message.get("body") for message in answer["messages"]]


def test_the_newest_page_comes_first_and_reads_from_old_to_new(connect, cast, say):
    for number in range(1, 6):
        say(f"m{number}")
    client = connect(cast.quill)
    page = client.call("read_room", room=cast.harbour.pk, limit=2)
    assert (bodies(page), page["last_seq"], page["truncated"], page["next"]) == (["m4", "m5"], 5, True, 4)
    page = client.call("read_room", room=cast.harbour.pk, limit=3, before_seq=page["next"])
    assert bodies(page) == ["m1", "m2", "m3"]
    assert {"truncated", "next"}.isdisjoint(page.data)


def test_reading_forward_sees_everything_after_a_cursor_once(call, quill, harbour, say):
    for number in range(1, 6):
        say(f"m{number}")
    page = call(quill, "read_room", room=harbour.pk, since_seq=1, limit=2)
    assert (bodies(page), page["next"]) == (["m2", "m3"], 3)
    page = call(quill, "read_room", room=harbour.pk, since_seq=page["next"])
    assert bodies(page) == ["m4", "m5"]
    assert call(quill, "read_room", room=harbour.pk, since_seq=5)["messages"] == []


def test_both_cursors_at_once_are_refused(call, quill, harbour):
    assert call(quill, "read_room", room=harbour.pk, since_seq=1, before_seq=9).code == "VALIDATION"


def test_a_read_that_meets_pruned_history_says_where_it_begins(call, quill, harbour, say):
    for number in range(1, 5):
        say(f"m{number}")
    Message.objects.filter(seq__lte=2).delete()
    page = call(quill, "read_room", room=harbour.pk)
    assert (bodies(page), page["truncated"], page["first_seq"]) == (["m3", "m4"], True, 3)
    page = call(quill, "read_room", room=harbour.pk, since_seq=0)
    assert (bodies(page), page["truncated"], page["first_seq"]) == (["m3", "m4"], True, 3)


def test_a_page_of_large_messages_stays_under_the_cap_and_loses_none(call, quill, harbour, say):
    for _ in range(5):
        say("\u00e9" * (BODY_BYTES // 4))
    seen, cursor = 0, None
    for _ in range(9):
        page = call(quill, "read_room", room=harbour.pk, **({"before_seq": cursor} if cursor else {}))
        assert len(page.raw) <= RESULT_BYTES
        seen += len(page["messages"])
        cursor = page.data.get("next")
        if cursor is None:
            break
    assert seen == 5


def test_an_author_retracts_and_a_tombstone_stays(call, quill, scout, harbour, say):
    sent = say("My password is hunter2", mention_targets=["@quill", "@grace"])
    gone = retract_message(factories.actor_of(scout), room=harbour.pk, message_id=sent.message_id)

    assert gone.cancelled_mentions == 2
    [tombstone] = call(quill, "read_room", room=harbour.pk)["messages"]
    assert (tombstone["retracted"], tombstone["seq"]) == (True, 1)
    assert "body" not in tombstone
    assert call(quill, "check_mentions")["mentions"] == []
    assert not Mention.objects.exclude(excerpt="").exists()
    assert not Message.objects.filter(body__contains="hunter2").exists()
    again = retract_message(factories.actor_of(scout), room=harbour.pk, message_id=sent.message_id)
    assert again.cancelled_mentions == 0


def test_an_admin_retracts_anything_and_others_nothing(cast, say, as_person):
    sent = say("Hm")
    where = {"room": cast.harbour.pk, "message_id": sent.message_id}
    for actor in (as_person(cast.grace), factories.actor_of(cast.forge), factories.actor_of(cast.quill)):
        with pytest.raises(Forbidden):
            retract_message(actor, **where)
    retract_message(as_person(cast.ada), **where)
    assert Message.objects.get().retracted_by == f"human:{cast.ada.pk}"


def test_a_message_of_another_room_cannot_be_retracted_here(cast, say, as_person):
    lagoon = factories.make_room("Lagoon", admin=cast.ada)
    sent = say("Hm")
    with pytest.raises(NotFound):
        retract_message(as_person(cast.ada), room=lagoon.pk, message_id=sent.message_id)


def test_what_a_mention_had_acknowledged_stays_acknowledged_when_its_message_goes(cast, say, call, as_person):
    sent = say("Hm", mention_targets=["@quill"])
    call(cast.quill, "ack_mentions", mention_ids=[sent.deliveries[0].mention_id])
    gone = retract_message(as_person(cast.ada), room=cast.harbour.pk, message_id=sent.message_id)
    assert gone.cancelled_mentions == 0


def test_rooms_are_listed_with_the_owners_role_and_cursors(connect, cast, say):
    say("Hello")
    [room] = connect(cast.quill).call("list_rooms")["rooms"]
    assert room == {
        "room": cast.harbour.pk,
        "name": "Harbour",
        "status": "active",
        "cross_owner": True,
        "role_of_owner": "member",
        "last_seq": 1,
        "context_version": 0,
    }


def test_many_rooms_come_in_pages(call, scout, ada, harbour):
    made = [harbour.pk]
    for number in range(60):
        room = factories.make_room(f"Room {number}", admin=ada)
        factories.make_member(room, scout)
        made.append(room.pk)
    first = call(scout, "list_rooms")
    rest = call(scout, "list_rooms", after=first["next"])
    assert [room["room"] for room in first["rooms"] + rest["rooms"]] == sorted(made)
    assert first["rooms"][1]["cross_owner"] is False
