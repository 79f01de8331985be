"""The same stories through either door, and with one agent at each: what happened is the same (style.md 1.3)."""

from __future__ import annotations

from types import SimpleNamespace

import pytest

from tests import factories
from tests.clients import LEGACY, McpClient, RestClient

DOORS = {
    "mcp": McpClient,
    "mcp of 2025": lambda token: McpClient(token, revision=LEGACY),
    "rest": RestClient,
}


@pytest.fixture(params=["mcp/mcp", "rest/rest", "mcp/rest", "rest/mcp of 2025"])
def doors(request):
    return request.param.split("/")


@pytest.fixture
def scout(cast, doors):
    return DOORS[doors[0]](factories.token_for(cast.scout))


@pytest.fixture
def quill(cast, doors):
    return DOORS[doors[1]](factories.token_for(cast.quill))


@pytest.fixture
def room(cast):
    return cast.harbour.pk


def make(client, room, title="Caulk the hull", **more):
    return client.call("create_task", room=room, title=title, definition_of_done="No water comes in.", **more)


def test_a_mention_is_rung_read_answered_and_gone(cast, scout, quill, room):
    sent = scout.call("send_message", room=room, body="Is the tar warm?", mention_targets=[{"plate": cast.quill.plate}])
    assert [delivery["outcome"] for delivery in sent["deliveries"]]
    assert quill.call("whoami").meta["pending_mentions"] == 1
    waiting = quill.call("check_mentions", room=room)["mentions"]
    assert [item["excerpt"] for item in waiting] == ["Is the tar warm?"]
    assert waiting[0]["from"]["plate"] == cast.scout.plate
    answer = quill.call("send_message", room=room, body="It is.", ack_mention_ids=[waiting[0]["mention_id"]])
    assert answer["pending"]["mentions"] == 0
    assert answer.meta["pending_mentions"] == 0
    assert quill.call("check_mentions", room=room)["mentions"] == []
    assert [item["body"] for item in scout.call("read_room", room=room)["messages"]] == ["Is the tar warm?", "It is."]


def test_of_two_who_claim_one_gets_the_task_and_the_other_the_facts(cast, scout, quill, room):
    task = make(scout, room)["task_id"]
    won, lost = scout.call("claim_task", task_id=task), quill.call("claim_task", task_id=task)
    assert won["claimed"] is True
    assert (lost["claimed"], lost["reason"], lost["assignee"]) == (False, "not_assigned", cast.scout.plate)
    other = scout.call("claim_task", task_id=task, instance_id="second")
    assert (other["claimed"], other["reason"], other["holder"]["same_instance"]) == (False, "already_claimed", False)


def test_the_notes_of_a_finished_task_reach_whoever_takes_the_next(cast, scout, quill, room):
    first = make(scout, room)["task_id"]
    second = make(scout, room, "Paint the hull", depends_on=[first])["task_id"]
    assert quill.call("claim_task", task_id=second)["reason"] == "blocked_by_deps"
    scout.call("claim_task", task_id=first)
    notes = "Two coats of tar.\n\n  Wait a day – the seams move.\n"
    done = scout.call("complete_task", task_id=first, status="done", summary="Caulked.", handoff_notes=notes)
    assert [task["task_id"] for task in done["unblocked"]] == [second]
    taken = quill.call("claim_task", task_id=second)
    assert [note["notes"] for note in taken["task"]["handoff_notes"]] == [notes]


def test_whoever_released_a_task_writes_no_more(cast, scout, quill, room):
    task = make(scout, room)["task_id"]
    fence = scout.call("claim_task", task_id=task)["fence"]
    scout.call("release_task", task_id=task, fence=fence)
    late = scout.call("complete_task", task_id=task, status="done", summary="S", handoff_notes="N", fence=fence)
    assert (late.status, late.code) == (409, "STALE_LEASE")
    never = quill.call("complete_task", task_id=task, status="done", summary="S", handoff_notes="N")
    assert (never.status, never.code) == (403, "FORBIDDEN")


def test_done_is_reached_by_complete_task_alone_and_with_notes(scout, room):
    task = make(scout, room)["task_id"]
    scout.call("claim_task", task_id=task)
    shortcut = scout.call("set_status", task_id=task, status="done")
    assert (shortcut.status, shortcut.code) == (409, "CONFLICT")
    assert "complete_task" in shortcut.error["message"]
    bare = scout.call("complete_task", task_id=task, status="done", summary="Caulked.")
    assert (bare.status, bare.code) == (400, "VALIDATION")
    assert "handoff_notes" in bare.error["fields"]


def test_work_for_another_owners_agent_needs_that_owners_trust(cast, scout, quill, room):
    refused = make(scout, room, assignee=cast.quill.plate)
    assert (refused.status, refused.code, refused.error["owner"]) == (403, "NO_GRANT", cast.grace.handle)
    assert scout.call("read_board", room=room)
    factories.set_trust(cast.harbour, cast.grace)
    task = make(scout, room, assignee=cast.quill.plate)["task_id"]
    assert quill.call("claim_task", task_id=task)["claimed"]


def test_an_agent_never_reassigns_not_even_its_owners(cast, scout, room):
    task = make(scout, room)["task_id"]
    answer = scout.call("assign_task", task_id=task, assignee=cast.forge.plate)
    assert (answer.status, answer.code) == (403, "FORBIDDEN")
    assert "admin" in answer.error["message"]


def test_a_reader_that_saw_the_newest_version_is_told_nothing_new(scout, room):
    make(scout, room)
    board = scout.call("read_board", room=room)
    assert scout.call("read_board", room=room, since_version=board["board_version"])["not_modified"]
    context = scout.call("get_room_context", room=room)
    assert scout.call("get_room_context", room=room, since_version=context["context_version"])["not_modified"]


def test_over_its_budget_a_caller_is_told_how_long_to_wait(scout, room, monkeypatch):
    # Windows begin on the clock's own minutes; one that stands still keeps all calls in one of them.
    monkeypatch.setattr("agentroom.core.ratelimit.time", SimpleNamespace(time=lambda: 1_800_000_015.0))
    answers = [scout.call("send_message", room=room, body=f"{number}") for number in range(61)]
    assert all(answer.ok for answer in answers[:60])
    limited = answers[60]
    assert (limited.status, limited.code) == (429, "RATE_LIMITED")
    assert limited.error["retry_after_ms"] == 45_001
    assert limited.headers["retry-after"] == "46"
