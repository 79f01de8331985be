"""Who made a task keeps the rights of a creator: having held it once takes none of them away."""

from __future__ import annotations

import pytest
from django.test import Client

from agentroom.core.errors import Conflict, Forbidden, StaleLease
from tests import factories
from tests.clients import McpClient, RestClient

RIGHTS = {
    "edit": lambda client, task: client.call("update_task", task_id=task, title="Sand the hull"),
    "cancel": lambda client, task: client.call("set_status", task_id=task, status="cancelled"),
    "archive": lambda client, task: client.call("archive_task", task_id=task),
}
each_right = pytest.mark.parametrize("right", RIGHTS.values(), ids=RIGHTS)


def released(client, people, task, ada, other):
    assert client.call("release_task", task_id=task).ok


def put_back(client, people, task, ada, other):
    assert client.call("set_status", task_id=task, status="todo").ok


def taken_away(client, people, task, ada, other):
    assert people.post(f"/rooms/{people.room}/tasks/{task}/release").status_code == 302


def given_away(client, people, task, ada, other):
    gone = people.post(f"/rooms/{people.room}/tasks/{task}/assignment", {"assignee": other.plate})
    assert gone.status_code == 302


def taken_by_a_sister(client, people, task, ada, other):
    assert client.call("release_task", task_id=task).ok
    assert client.call("claim_task", task_id=task, instance_id="sister")["claimed"]


PARTINGS = [released, put_back, taken_away, given_away, taken_by_a_sister]


@pytest.fixture(params=[McpClient, RestClient])
def client(request, scout):
    return request.param(factories.token_for(scout))


@pytest.fixture
def people(ada, harbour):
    """ada's browser."""
    browser = Client()
    browser.force_login(ada)
    browser.room = harbour.pk
    return browser


def made_and_claimed(client, room, assignee):
    named = {} if assignee is None else {"assignee": assignee.plate}
    task = client.call("create_task", room=room.pk, title="Paint", definition_of_done="Blue.", **named)["task_id"]
    assert client.call("claim_task", task_id=task)["claimed"]
    return task


@each_right
@pytest.mark.parametrize("parting", PARTINGS, ids=lambda parting: parting.__name__)
@pytest.mark.parametrize("is_pooled", [True, False], ids=["of the pool", "its own"])
def test_a_creator_that_held_it_once_acts_without_naming_a_fence(
    client, people, harbour, ada, scout, forge, right, parting, is_pooled
):
    task = made_and_claimed(client, harbour, None if is_pooled else scout)
    parting(client, people, task, ada, forge)
    if right is RIGHTS["archive"]:
        assert client.call("set_status", task_id=task, status="cancelled").ok

    assert right(client, task).ok


@each_right
def test_a_creator_that_names_an_old_fence_is_taken_at_its_word(client, people, harbour, ada, scout, forge, right):
    task = made_and_claimed(client, harbour, scout)
    given_away(client, people, task, ada, forge)
    named = {"task_id": task, "fence": 1}
    tool, more = {
        "edit": ("update_task", {"title": "Sand the hull"}),
        "cancel": ("set_status", {"status": "cancelled"}),
        "archive": ("archive_task", {}),
    }[next(name for name, one in RIGHTS.items() if one is right)]

    assert client.call(tool, **named, **more).code == StaleLease.code


def test_what_a_creator_may_not_do_is_refused_for_that_reason(client, people, harbour, ada, scout, forge):
    """Not as a stale holder: reading the board and naming the fence would not help it."""
    task = made_and_claimed(client, harbour, scout)
    given_away(client, people, task, ada, forge)
    assert client.call("set_status", task_id=task, status="cancelled").ok

    assert client.call("set_status", task_id=task, status="todo").code == Forbidden.code
    assert client.call("update_task", task_id=task, title="Late").code == Conflict.code
    assert client.call("set_status", task_id=task, status="cancelled").code == Conflict.code


def test_what_only_a_holder_may_do_stays_stale(client, people, harbour, ada, scout, forge):
    task = made_and_claimed(client, harbour, scout)
    given_away(client, people, task, ada, forge)

    done = {"status": "done", "summary": "Did it.", "handoff_notes": "In the shed."}
    assert client.call("complete_task", task_id=task, **done).code == StaleLease.code
    assert client.call("set_status", task_id=task, status="blocked", reason="No paint.").code == StaleLease.code
    assert client.call("renew_lease", task_id=task).code == StaleLease.code


def test_the_board_shows_the_fence_that_an_assignee_has_to_name(client, people, harbour, ada, scout, quill):
    task = client.call("create_task", room=harbour.pk, title="Paint", definition_of_done="Blue.")["task_id"]
    factories.set_trust(harbour, quill.owner)
    other = type(client)(factories.token_for(quill))
    assert other.call("claim_task", task_id=task)["claimed"]
    assert other.call("release_task", task_id=task).ok
    later = {"task_id": task, "status": "blocked", "reason": "No paint."}
    assert other.call("set_status", **later).code == StaleLease.code

    lane = other.call("read_board", room=harbour.pk, assignee=quill.plate)["lanes"][0]
    assert other.call("read_board", room=harbour.pk, task_id=task)["task"]["fence"] == lane["tasks"][0]["fence"] == 2
    assert other.call("set_status", **later, fence=lane["tasks"][0]["fence"]).ok
