"""What the sender is told of each target, and how each recipient may take it (scenario 6)."""

from __future__ import annotations

import pytest

from agentroom.core.scopes import ALL, DEFAULT, Scope
from rooms.operations.messages import send_message
from rooms.wakes.decide import Facts, Outcome, outcome
from tests import factories

WOKEN = {"allowed": True, "scopes": ALL, "host": "codex", "has_listener": True, "is_live": True}


@pytest.mark.parametrize(
    ("fact", "expected"),
    [
        ({}, Outcome.QUEUED),
        ({"is_live": False}, Outcome.QUEUED_OFFLINE),
        ({"allowed": False}, Outcome.BLOCKED_BY_TRUST),
        ({"scopes": DEFAULT}, Outcome.NO_INVOKE),
        ({"host": "generic"}, Outcome.PULL_ONLY),
        ({"has_listener": False}, Outcome.PULL_ONLY),
        ({"room_is_active": False}, Outcome.PULL_ONLY),
        ({"is_paused": True}, Outcome.SELF_PAUSED),
        ({"in_loop": True}, Outcome.SUPPRESSED_LOOP),
        ({"queue_is_full": True}, Outcome.QUEUE_FULL),
        ({"allowed": False, "scopes": DEFAULT, "host": "generic"}, Outcome.BLOCKED_BY_TRUST),
        ({"scopes": Scope.INVOKE, "is_paused": True, "queue_is_full": True}, Outcome.SELF_PAUSED),
    ],
)
def test_the_first_thing_in_the_way_decides(fact, expected):
    assert outcome(Facts(**{**WOKEN, **fact})) is expected


def test_the_send_reply_lists_each_targets_outcome(connect, cast):
    factories.make_member(cast.harbour, factories.make_agent(cast.ada, "anchor", host="codex", scopes=ALL))
    sent = connect(cast.scout).call(
        "send_message",
        room=cast.harbour.pk,
        body="Who is there?",
        mention_targets=["@anchor", "@forge", "@quill", "@grace"],
    )
    outcomes = [delivery["outcome"] for delivery in sent["deliveries"]]
    assert outcomes == ["pull_only", "no_invoke", "blocked_by_trust", "delivered"]


def test_without_invoke_the_mention_waits_in_the_inbox_all_the_same(call, harbour, scout, forge):
    sent = call(scout, "send_message", room=harbour.pk, body="Later", mention_targets=["@forge"])

    assert sent["deliveries"][0]["outcome"] == "no_invoke"
    [item] = call(forge, "check_mentions")["mentions"]
    assert item["mention_id"] == sent["deliveries"][0]["mention_id"]


def test_trust_off_stops_the_wake_and_never_the_mention(call, harbour, scout, quill, grace):
    sent = call(scout, "send_message", room=harbour.pk, body="Help", mention_targets=["@quill"])
    assert sent["deliveries"][0]["outcome"] == "blocked_by_trust"
    assert call(quill, "check_mentions")["mentions"][0]["trust_level"] == "untrusted"

    factories.set_trust(harbour, grace)
    sent = call(scout, "send_message", room=harbour.pk, body="Help", mention_targets=["@quill"])
    assert sent["deliveries"][0]["outcome"] == "no_invoke"
    assert call(quill, "check_mentions")["mentions"][1]["trust_level"] == "trusted"


def test_the_senders_own_trust_is_irrelevant(call, harbour, scout, ada):
    factories.set_trust(harbour, ada)
    sent = call(scout, "send_message", room=harbour.pk, body="Help", mention_targets=["@quill"])
    assert sent["deliveries"][0]["outcome"] == "blocked_by_trust"


@pytest.mark.parametrize(
    ("sender", "recipient", "level"),
    [
        ("scout", "@forge", "same_owner"),
        ("scout", "@quill", "untrusted"),
        ("ada", "@scout", "human_owner"),
        ("ada", "@quill", "human_member"),
        ("ada", "@grace", "human_member"),
        ("scout", "@ada", "same_owner"),
        ("scout", "@grace", "untrusted"),
    ],
)
def test_the_trust_level_is_seen_from_the_recipient(cast, sender, recipient, level):
    who = getattr(cast, sender)
    actor = factories.human_of(who) if sender == "ada" else factories.actor_of(who)
    sent = send_message(actor, room=cast.harbour.pk, body="Hi", mention_targets=[recipient])

    [mention] = cast.harbour.mentions.all()
    assert (mention.pk, mention.trust_level) == (sent.deliveries[0].mention_id, level)
