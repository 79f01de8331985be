"""Sending a message: what is stored, what is delivered, and what is refused whole."""

from __future__ import annotations

import pytest

from agentroom.core.limits import BODY_BYTES, MENTION_TARGETS
from agentroom.core.models import AuditRow
from identity.models import Instance
from rooms.models import AgentMember, Mention, Message
from rooms.operations.messages import send_message
from tests import factories


def test_a_message_is_numbered_stored_as_sent_and_read_by_the_others(connect, cast):
    body = "Blue paint\r\n\u202eis here\u202c 🚢 "
    sent = connect(cast.scout).call("send_message", room=cast.harbour.pk, body=body)

    [message] = connect(cast.quill).call("read_room", room=cast.harbour.pk)["messages"]
    assert (message["seq"], message["message_id"]) == (sent["seq"], sent["message_id"]) == (1, sent["message_id"])
    assert message["body"] == body
    assert message["from"] == {"type": "agent", "alias": "@scout(ada)", "plate": cast.scout.plate}


def test_only_structured_targets_are_delivered_to_whatever_the_body_says(connect, cast):
    body = f"@quill(grace) {cast.quill.plate} @grace @scout please look"
    sent = connect(cast.scout).call("send_message", room=cast.harbour.pk, body=body)

    assert sent["deliveries"] == []
    assert "reach nobody" in sent["warning"]
    assert not Mention.objects.exists()
    assert connect(cast.quill).call("check_mentions")["mentions"] == []


def test_agents_and_people_are_reached_by_plate_id_handle_and_alias(call, harbour, scout, forge, quill, grace, ada):
    targets = [{"plate": forge.plate}, {"human": grace.pk}, "@QUILL(Grace)", {"human": "ada"}]
    sent = call(scout, "send_message", room=harbour.pk, body="All aboard", mention_targets=targets)

    assert [delivery["target"] for delivery in sent["deliveries"]] == [
        {"plate": forge.plate},
        {"human": grace.pk},
        {"plate": quill.plate},
        {"human": ada.pk},
    ]
    assert Mention.objects.filter(source=f"msg:{sent['message_id']}").count() == 4


def test_the_same_target_twice_is_one_mention(call, harbour, scout, quill):
    targets = [{"plate": quill.plate}, "@quill", {"plate": quill.plate}]
    sent = call(scout, "send_message", room=harbour.pk, body="quill quill quill", mention_targets=targets)

    assert len(sent["deliveries"]) == 1
    assert Mention.objects.filter(agent=quill).count() == 1


def test_a_repeat_with_the_same_key_returns_the_first_ids_and_sends_nothing(connect, cast):
    client = connect(cast.scout)
    once = {"room": cast.harbour.pk, "body": "Once", "mention_targets": ["@quill"], "idempotency_key": "k1"}
    first, again = client.call("send_message", **once), client.call("send_message", **once)

    assert again.data == first.data
    assert (Message.objects.count(), Mention.objects.count()) == (1, 1)
    other = client.call("send_message", **{**once, "body": "Twice"})
    assert other.code == "CONFLICT"
    assert Message.objects.count() == 1


def test_an_agent_cannot_mention_itself(call, harbour, scout):
    for target in ({"plate": scout.plate}, "@scout", "@scout(ada)"):
        refused = call(scout, "send_message", room=harbour.pk, body="Me", mention_targets=[target])
        assert (refused.code, list(refused.error["fields"])) == ("VALIDATION", ["mention_targets"])
    assert not Message.objects.exists()


def test_a_target_outside_the_room_is_not_found_and_nobody_is_told(call, harbour, scout, quill, ada):
    drift = factories.make_agent(ada, "drift")
    stranger = factories.make_owner("mallory")
    for target in ({"plate": drift.plate}, {"human": stranger.pk}, "@nobody", {"plate": "BRNL-AGT-00000000"}):
        targets = [{"plate": quill.plate}, target]
        assert call(scout, "send_message", room=harbour.pk, body="Hi", mention_targets=targets).code == "NOT_FOUND"
    assert not Mention.objects.exists()
    assert not Message.objects.exists()


def test_an_ambiguous_handle_is_refused_with_its_candidates(call, harbour, scout, quill, grace, ada):
    twin = factories.make_agent(ada, "Quill")
    factories.make_member(harbour, twin)
    refused = call(scout, "send_message", room=harbour.pk, body="Hi", mention_targets=["@quill"])

    assert refused.code == "VALIDATION"
    plates = {candidate["plate"] for candidate in refused.error["candidates"]}
    assert plates == {quill.plate, twin.plate}
    assert not Message.objects.exists()
    sent = call(scout, "send_message", room=harbour.pk, body="Hi", mention_targets=["@quill(ada)"])
    assert sent["deliveries"][0]["target"] == {"plate": twin.plate}


def test_a_session_must_be_one_of_its_agent(call, harbour, scout, quill):
    Instance.objects.create(agent=quill, name="night-shift", host="generic")
    good = {"plate": quill.plate, "session": "night-shift"}
    sent = call(scout, "send_message", room=harbour.pk, body="Hi", mention_targets=[good])
    assert sent["deliveries"][0]["target"] == good

    unknown = {"plate": quill.plate, "session": "day-shift"}
    refused = call(scout, "send_message", room=harbour.pk, body="Hi", mention_targets=[unknown])
    assert refused.code == "NOT_FOUND"


@pytest.mark.parametrize(
    "target",
    [{}, {"plate": "x", "human": "y"}, {"human": "grace", "session": "s"}, {"name": "quill"}, 7, "", "@", "a@b"],
)
def test_a_target_of_another_form_is_refused(call, harbour, scout, target):
    assert call(scout, "send_message", room=harbour.pk, body="Hi", mention_targets=[target]).code == "VALIDATION"


def test_more_targets_than_allowed_are_refused(call, harbour, scout, quill):
    targets = [{"plate": quill.plate}] * (MENTION_TARGETS + 1)
    refused = call(scout, "send_message", room=harbour.pk, body="Hi", mention_targets=targets)
    assert "max 50" in refused.error["fields"]["mention_targets"]


def test_a_body_over_its_limit_is_refused_with_limit_and_size(call, harbour, scout):
    assert call(scout, "send_message", room=harbour.pk, body="é" * (BODY_BYTES // 2)).ok
    refused = call(scout, "send_message", room=harbour.pk, body="é" * (BODY_BYTES // 2) + "!")
    assert (refused.status, refused.error["fields"]["body"]) == (400, f"max {BODY_BYTES} bytes, got {BODY_BYTES + 1}")


@pytest.mark.parametrize("body", ["", " \n\t", "\u200b\u2060", "\u3164"])
def test_a_body_without_anything_to_see_is_refused(call, harbour, scout, body):
    assert call(scout, "send_message", room=harbour.pk, body=body).code == "VALIDATION"


def test_a_reply_names_a_message_of_its_own_room(call, harbour, scout, quill, ada):
    other = factories.make_room("Lagoon", admin=ada)
    factories.make_member(other, scout)
    first = call(scout, "send_message", room=harbour.pk, body="Question")
    reply = call(quill, "send_message", room=harbour.pk, body="Answer", parent_id=first["message_id"])
    assert call(scout, "read_room", room=harbour.pk)["messages"][1]["parent_id"] == first["message_id"]
    assert reply["seq"] == 2
    refused = call(scout, "send_message", room=other.pk, body="Answer", parent_id=first["message_id"])
    assert refused.code == "NOT_FOUND"


def test_a_task_of_the_room_rides_on_the_message_and_its_mentions(call, harbour, scout, quill, ada):
    task = factories.make_task(harbour, creator=scout)
    call(scout, "send_message", room=harbour.pk, body="Please", task_id=task.pk, mention_targets=["@quill"])

    assert call(scout, "read_room", room=harbour.pk)["messages"][0]["task_id"] == task.pk
    assert call(quill, "check_mentions")["mentions"][0]["task_id"] == task.pk
    elsewhere = factories.make_task(factories.make_room("Lagoon", admin=ada), creator=ada)
    refused = call(scout, "send_message", room=harbour.pk, body="Please", task_id=elsewhere.pk)
    assert refused.code == "NOT_FOUND"


def test_acknowledging_and_answering_is_one_act(call, harbour, scout, quill):
    call(quill, "send_message", room=harbour.pk, body="Ready?", mention_targets=["@scout"])
    [item] = call(scout, "check_mentions")["mentions"]
    mine = [item["mention_id"]]
    refused = call(
        scout, "send_message", room=harbour.pk, body="Yes", ack_mention_ids=mine, mention_targets=["@nobody"]
    )
    assert refused.code == "NOT_FOUND"
    assert call(scout, "check_mentions")["mentions"]

    sent = call(scout, "send_message", room=harbour.pk, body="Yes", ack_mention_ids=mine)
    assert (sent["acked"], sent["pending"]) == (mine, {"mentions": 0})
    assert call(scout, "check_mentions")["mentions"] == []


def test_the_reply_tells_what_waits_for_the_sender(call, harbour, scout, quill):
    call(quill, "send_message", room=harbour.pk, body="One", mention_targets=["@scout"])
    call(quill, "send_message", room=harbour.pk, body="Two", mention_targets=["@scout"])
    sent = call(scout, "send_message", room=harbour.pk, body="Busy")

    oldest = call(scout, "check_mentions")["mentions"][0]["created_at"]
    assert sent["pending"] == {"mentions": 2, "oldest": oldest}


def test_people_send_too_and_a_task_holder_is_known_to_have_spoken(harbour, grace, quill, call, as_person):
    sent = send_message(as_person(grace), room=harbour.pk, body="Hello", mention_targets=["@quill"])
    assert sent.deliveries[0].outcome == "no_invoke"
    [message] = call(quill, "read_room", room=harbour.pk)["messages"]
    assert message["from"] == {"type": "human", "alias": "@grace", "owner": "grace"}

    assert AgentMember.objects.get(agent=quill).last_spoke_at is None
    call(quill, "send_message", room=harbour.pk, body="Working on it")
    spoke = AgentMember.objects.get(agent=quill).last_spoke_at
    assert spoke == Message.objects.get(agent=quill).created_at


def test_each_message_leaves_one_audit_row_without_its_text(call, harbour, scout, quill):
    sent = call(scout, "send_message", room=harbour.pk, body="A secret plan", mention_targets=["@quill"])

    row = AuditRow.objects.get(chain=harbour.pk)
    assert (row.act, row.record_id, row.actor_key) == ("message.send", sent["message_id"], f"agent:{scout.plate}")
    assert row.request_id == "req_test"
    assert "secret" not in str(row.after)
