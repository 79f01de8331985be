"""The tools of tasks through both doors: what is listed, what it costs, and that the words are the contract's."""

from __future__ import annotations

import json

import pytest

from agentroom.core.contract import Tool
from agentroom.core.schema import describe
from agentroom.core.scopes import Scope
from tasks.models import Task
from tasks.tools import TOOLS
from tests import factories

LISTED = [tool for tool in TOOLS if isinstance(tool, Tool)]
NOTES = "one\r\ntwo \u202bשלום\u202c 👩‍👩‍👧"


def test_the_tools_of_tasks_cost_at_most_7000_bytes_of_the_list():
    size = sum(len(json.dumps(describe(tool), ensure_ascii=False, separators=(",", ":")).encode()) for tool in LISTED)

    assert size <= 7000


def test_assign_task_is_not_listed_and_always_forbidden(connect, task, forge):
    assert "assign_task" not in {tool.name for tool in LISTED}

    refused = connect(forge).call("assign_task", task_id=task.pk, assignee=forge.plate)

    assert (refused.code, refused.status) == ("FORBIDDEN", 403)
    assert "hard-locked to their assignee" in refused.error["message"]
    assert "ask a room admin" in refused.error["message"]


def test_a_task_goes_from_hand_to_hand(connect, harbour, scout, forge):
    ada_s, next_one = connect(scout), connect(forge)
    first = ada_s.call("create_task", room=harbour.pk, title="Sand", definition_of_done="Smooth.", assignee=scout.plate)
    second = ada_s.call(
        "create_task",
        room=harbour.pk,
        title="Paint",
        definition_of_done="Blue.",
        assignee=forge.plate,
        depends_on=[first["task_id"]],
    )
    lost = next_one.call("claim_task", task_id=second["task_id"])
    assert (lost["claimed"], lost["reason"], lost["blocked_by"]) == (False, "blocked_by_deps", [first["task_id"]])

    claim = ada_s.call("claim_task", task_id=first["task_id"])
    assert (claim["claimed"], claim["fence"]) == (True, 1)
    done = ada_s.call(
        "complete_task", task_id=first["task_id"], status="done", summary="Sanded.", handoff_notes=NOTES, fence=1
    )
    assert done["unblocked"][0]["task_id"] == second["task_id"]

    (mention,) = next_one.call("check_mentions", room=harbour.pk)["mentions"]
    assert (mention["task_id"], mention["trust_level"]) == (second["task_id"], "same_owner")
    claim = next_one.call("claim_task", task_id=second["task_id"])
    assert claim["task"]["handoff_notes"][0]["notes"] == NOTES
    finished = next_one.call(
        "complete_task",
        task_id=second["task_id"],
        status="done",
        summary="Painted.",
        handoff_notes="All done.",
        ack_ids=[mention["mention_id"]],
    )
    assert finished["pending"] == {"mentions": 0}
    board = ada_s.call("read_board", room=harbour.pk)
    assert [row["status"] for row in board["done"]] == ["done", "done"]


def test_an_instance_may_name_itself_in_any_tool(connect, held, forge):
    client = connect(forge)

    assert client.call("renew_lease", task_id=held.pk, instance_id="main")["fence"] == 1
    assert client.call("release_task", task_id=held.pk, instance_id="main")["fence"] == 2


@pytest.mark.parametrize(
    ("arguments", "field"),
    [
        ({"title": "x" * 201}, "title"),
        ({"title": "two\nlines"}, "title"),
        ({"title": "\u200b"}, "title"),
        ({"definition_of_done": "x" * 2001}, "definition_of_done"),
        ({"definition_of_done": " "}, "definition_of_done"),
        ({"detail": "ü" * 4097}, "detail"),
        ({"depends_on": ["01J0000000000000000000000X"] * 21}, "depends_on"),
        ({"depends_on": ["x"]}, "depends_on[0]"),
        ({"deadline": "tomorrow"}, "deadline"),
        ({"deadline": "2027-01-01T00:00:00"}, "deadline"),
        ({"creator": "somebody"}, "creator"),
    ],
)
def test_a_field_over_its_limit_is_named_and_nothing_is_made(connect, harbour, scout, arguments, field):
    given = {"room": harbour.pk, "title": "Sand", "definition_of_done": "Smooth.", **arguments}

    refused = connect(scout).call("create_task", **given)

    assert (refused.code, list(refused.error["fields"])) == ("VALIDATION", [field])
    assert not Task.objects.exists()


def test_done_through_set_status_is_a_conflict_over_the_wire(connect, held, forge):
    refused = connect(forge).call("set_status", task_id=held.pk, status="done", instance_id="main")

    assert (refused.code, refused.status) == ("CONFLICT", 409)
    assert "complete_task" in refused.error["message"]


@pytest.mark.parametrize("tool", LISTED, ids=lambda tool: tool.name)
def test_without_its_scope_a_tool_does_nothing(connect, harbour, ada, tool):
    bare = factories.make_agent(ada, "bare", scopes=Scope.INVOKE)
    factories.make_member(harbour, bare)

    refused = connect(bare).call(tool.name)

    assert (refused.code, refused.error["scope"]) == ("FORBIDDEN_SCOPE", tool.scope.name)
