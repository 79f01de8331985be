"""The inbox: what waits, in which order, and that each item is handled once."""

from __future__ import annotations

import pytest

from agentroom.core.models import AuditRow
from rooms.models import AgentMember, Mention, Room
from rooms.operations.messages import send_message
from tests import factories


@pytest.fixture
def ring(call, harbour, scout):
    """`ring("Hello")`: scout mentions quill; returns the mention id."""

    def mention(body: str = "Hello", room=harbour, target: str = "@quill") -> str:
        sent = call(scout, "send_message", room=room.pk, body=body, mention_targets=[target])
        return sent["deliveries"][0]["mention_id"]

    return mention


def test_an_item_says_who_where_how_far_trusted_and_what_about(connect, cast, ring):
    mention_id = ring("Look at the hull")
    [item] = connect(cast.quill).call("check_mentions")["mentions"]

    assert item.pop("created_at").endswith("Z")
    assert item.pop("message_id")
    assert item == {
        "mention_id": mention_id,
        "room": cast.harbour.pk,
        "seq": 1,
        "kind": "message",
        "from": {"type": "agent", "alias": "@scout(ada)", "plate": cast.scout.plate},
        "trust_level": "untrusted",
        "excerpt": "Look at the hull",
        "message_seq": 1,
    }


def test_a_long_message_shows_its_beginning(ring, call, quill):
    ring("x" * 400)
    excerpt = call(quill, "check_mentions")["mentions"][0]["excerpt"]
    assert (len(excerpt), excerpt[-2:]) == (280, "x…")


def test_every_answer_carries_how_much_waits(connect, cast, ring):
    ring()
    ring()
    assert connect(cast.quill).call("list_rooms").meta["pending_mentions"] == 2
    assert connect(cast.forge).call("list_rooms").meta["pending_mentions"] == 0


def test_reading_hands_nothing_out_for_good_and_acknowledging_does(ring, call, quill):
    mention_id = ring()
    for _ in range(2):
        assert [item["mention_id"] for item in call(quill, "check_mentions")["mentions"]] == [mention_id]
    delivered = Mention.objects.get(pk=mention_id)
    assert delivered.delivered_at is not None
    assert delivered.acked_at is None

    assert call(quill, "ack_mentions", mention_ids=[mention_id])["acked"] == [mention_id]
    assert call(quill, "check_mentions")["mentions"] == []
    assert Mention.objects.get(pk=mention_id).acked_by_instance == "main"


def test_acknowledging_again_changes_nothing(ring, call, quill):
    mention_id = ring()
    call(quill, "ack_mentions", mention_ids=[mention_id])
    first, rows = Mention.objects.get(pk=mention_id).acked_at, AuditRow.objects.count()

    again = call(quill, "ack_mentions", mention_ids=[mention_id, mention_id], instance_id="second")
    assert again["acked"] == [mention_id]
    assert (Mention.objects.get(pk=mention_id).acked_at, AuditRow.objects.count()) == (first, rows)


def test_another_agents_mention_is_forbidden_and_a_foreign_rooms_is_not_found(ring, call, forge, scout, quill, ada):
    mention_id = ring()
    assert call(forge, "ack_mentions", mention_ids=[mention_id]).code == "FORBIDDEN"
    stray = factories.make_agent(ada, "stray")
    assert call(stray, "ack_mentions", mention_ids=[mention_id]).code == "NOT_FOUND"
    assert call(quill, "ack_mentions", mention_ids=[mention_id, "0" * 26]).code == "NOT_FOUND"
    assert Mention.objects.get(pk=mention_id).acked_at is None


def test_acknowledging_up_to_a_number_takes_one_room_only(ring, call, harbour, scout, quill, ada, grace):
    lagoon = factories.make_room("Lagoon", admin=ada)
    for member in (grace, scout, quill):
        factories.make_member(lagoon, member)
    first, second, third = ring(), ring(), ring()
    elsewhere = ring(room=lagoon)

    assert call(quill, "ack_mentions", last_mention_seq=2).code == "VALIDATION"
    acked = call(quill, "ack_mentions", last_mention_seq=2, room=harbour.pk)
    assert acked["acked"] == [first, second]
    assert acked["pending"]["mentions"] == 2
    left = [item["mention_id"] for item in call(quill, "check_mentions")["mentions"]]
    assert left == [third, elsewhere]


@pytest.mark.parametrize("arguments", [{}, {"mention_ids": [], "last_mention_seq": 1}])
def test_acknowledging_takes_ids_or_a_number(call, quill, harbour, arguments):
    assert call(quill, "ack_mentions", **arguments).code == "VALIDATION"


def test_items_of_a_room_are_numbered_and_paged(ring, call, quill, harbour):
    ids = [ring(str(number)) for number in range(5)]
    page = call(quill, "check_mentions", room=harbour.pk, limit=2)
    assert ([item["mention_id"] for item in page["mentions"]], page["truncated"], page["next"]) == (ids[:2], True, 2)
    page = call(quill, "check_mentions", room=harbour.pk, limit=3, since_seq=page["next"])
    assert [item["seq"] for item in page["mentions"]] == [3, 4, 5]
    assert "truncated" not in page.data
    assert AgentMember.objects.get(agent=quill).mention_seq == 5


def test_only_rooms_of_the_callers_can_be_asked_for(ring, call, quill, harbour, ada):
    ring()
    lagoon = factories.make_room("Lagoon", admin=ada)
    assert call(quill, "check_mentions", room=lagoon.pk).code == "NOT_FOUND"
    assert call(quill, "check_mentions", rooms=[harbour.pk, lagoon.pk]).code == "NOT_FOUND"
    assert len(call(quill, "check_mentions", rooms=[harbour.pk])["mentions"]) == 1


def test_people_have_an_inbox_of_their_own(ring, as_person, grace, call, quill):
    mention_id = ring(target="@grace")
    assert call(quill, "check_mentions")["mentions"] == []
    assert call(quill, "ack_mentions", mention_ids=[mention_id]).code == "FORBIDDEN"

    answered = send_message(
        as_person(grace), room=Mention.objects.get().room_id, body="Yes", ack_mention_ids=[mention_id]
    )
    assert answered.acked == [mention_id]


def test_a_full_inbox_fits_a_bounded_answer(ring, call, quill, harbour):
    for _ in range(60):
        ring("€" * 300)
    answer = call(quill, "check_mentions", room=harbour.pk, limit=200)
    assert len(answer.raw) <= 40 * 1024
    assert answer["truncated"] is True
    rest = call(quill, "check_mentions", room=harbour.pk, limit=200, since_seq=answer["next"])
    assert len(answer["mentions"]) + len(rest["mentions"]) == 60


@pytest.mark.parametrize("status", ["paused", "stopped", "archived"])
def test_in_a_room_that_is_not_active_an_agent_still_clears_its_inbox_and_still_says_nothing(
    ring, call, quill, harbour, status
):
    mention = ring()
    Room.objects.filter(pk=harbour.pk).update(status=status)

    saying = call(quill, "send_message", room=harbour.pk, body="Done.", ack_mention_ids=[mention])
    assert saying.code == "THREAD_NOT_ACTIVE"
    assert call(quill, "check_mentions").data["mentions"][0]["mention_id"] == mention
    assert call(quill, "ack_mentions", mention_ids=[mention])["acked"] == [mention]
    assert call(quill, "check_mentions")["mentions"] == []
