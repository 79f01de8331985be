"""What the tools of rooms cost an agent before it has called any."""

from __future__ import annotations

import json

from agentroom.core.contract import registry
from agentroom.core.schema import describe

OWN = [tool for tool in registry.tools() if tool.operation.__module__.startswith("rooms.")]
LISTED_BYTES = 6000


def test_the_listed_tools_stay_within_their_share_of_the_list():
    listed = [describe(tool) for tool in OWN if tool.listed]
    assert len(json.dumps(listed, separators=(",", ":"), ensure_ascii=False).encode()) <= LISTED_BYTES


def test_the_consent_verbs_of_earlier_times_are_callable_and_unlisted():
    assert {tool.name for tool in OWN if not tool.listed} == {"accept_task", "reject_task", "list_pending_consents"}


def test_what_returns_the_words_of_others_says_so():
    own_state_only = {"ack_mentions", "set_room_consent", "accept_task", "reject_task", "list_pending_consents"}
    assert {tool.name for tool in OWN if not tool.open_world} == own_state_only


def test_nothing_of_rooms_destroys_and_only_sending_is_not_repeatable():
    assert not any(tool.destructive for tool in OWN)
    assert {tool.name for tool in OWN if tool.listed and not tool.idempotent} == {"send_message"}
