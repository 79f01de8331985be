"""Moving a task with plain forms: the menu of its page, read and pressed as a browser without a script would."""

from __future__ import annotations

import re

import pytest
from django.test import Client

from identity.models import Agent
from rooms.models import Room
from tasks.models import Task
from tests import factories
from tests.board.conftest import Browse
from tests.clients import committed
from tests.conftest import Cast


def press(client: Client, page: str, words: str, **more: str):
    """Press the button with these words on the page, with the form it belongs to."""
    html = client.get(page).content.decode()
    button = next(
        found for found in re.findall(r"<button[^>]*form=\"act\"[^>]*>.*?</button>", html, re.S) if words in found
    )
    assert " disabled" not in button
    form = re.search(r'<form id="act".*?</form>', html, re.S)
    assert form is not None
    path = re.search(r'formaction="([^"]*)"', button)
    named = re.search(r'name="([^"]*)" value="([^"]*)"', button)
    fields = dict(re.findall(r'name="([^"]*)" value="([^"]*)"', form[0]))
    with committed():
        return client.post(path[1], {**fields, **({named[1]: named[2]} if named else {}), **more})


def test_an_admin_gives_a_task_to_another_agent_and_comes_back_to_it(cast: Cast, task: Task, browse: Browse):
    page = f"/rooms/{cast.harbour.pk}/tasks/{task.pk}"
    answer = press(browse(cast.ada), page, "scout")
    assert answer.status_code == 302
    assert answer["Location"] == page
    task.refresh_from_db()
    assert (task.assignee, task.status, task.fence) == (cast.scout, "todo", 2)


def test_the_second_of_two_who_move_one_task_is_told_and_nothing_moves(cast: Cast, task: Task, browse: Browse):
    first, second = browse(cast.ada), browse(cast.ada)
    page = f"/rooms/{cast.harbour.pk}/tasks/{task.pk}"
    stale = re.search(r'formaction="(/rooms/[^"]*/assignment\?fence=1)"', second.get(page).content.decode())
    press(first, page, "scout")
    with committed():
        answer = second.post(stale[1], {"assignee": cast.forge.plate})
    assert answer.status_code == 409
    assert "Somebody moved this task a moment ago" in answer.content.decode()
    task.refresh_from_db()
    assert task.assignee == cast.scout


def test_another_owners_agent_can_be_chosen_only_while_trust_is_on(cast: Cast, task: Task, browse: Browse):
    client, page = browse(cast.ada), f"/rooms/{cast.harbour.pk}/tasks/{task.pk}"
    assert _is_disabled(client.get(page), cast.quill)
    factories.set_trust(cast.harbour, cast.grace)
    assert not _is_disabled(client.get(page), cast.quill)
    press(client, page, "quill")
    task.refresh_from_db()
    assert (task.assignee, task.consent) == (cast.quill, "accepted")


def test_a_member_sees_no_way_to_reassign_and_has_none(cast: Cast, task: Task, browse: Browse):
    client = browse(cast.grace)
    page = client.get(f"/rooms/{cast.harbour.pk}/tasks/{task.pk}").content.decode()
    assert "/assignment" not in page
    answer = client.post(f"/rooms/{cast.harbour.pk}/tasks/{task.pk}/assignment", {"assignee": cast.quill.plate})
    assert answer.status_code == 403


def test_the_owner_of_the_holder_may_take_the_task_back_without_being_admin(cast: Cast, browse: Browse):
    held = factories.make_task(cast.harbour, creator=cast.grace, assignee=cast.quill, status="doing")
    press(browse(cast.grace), f"/rooms/{cast.harbour.pk}/tasks/{held.pk}", "Take it from its holder")
    held.refresh_from_db()
    assert (held.status, held.assignee) == ("todo", cast.quill)


@pytest.mark.parametrize(
    ("status", "words", "becomes"),
    [
        ("doing", "Take it from its holder", "todo"),
        ("blocked", "Back to todo", "todo"),
        ("failed", "Back to todo", "todo"),
        ("cancelled", "Back to todo", "todo"),
        ("todo", "Cancel the task", "cancelled"),
        ("doing", "Cancel the task", "cancelled"),
    ],
)
def test_each_move_that_people_have_is_a_button(cast: Cast, browse: Browse, status: str, words: str, becomes: str):
    task = factories.make_task(cast.harbour, creator=cast.ada, assignee=cast.forge, status=status)
    press(browse(cast.ada), f"/rooms/{cast.harbour.pk}/tasks/{task.pk}", words)
    task.refresh_from_db()
    assert task.status == becomes


def test_an_ended_task_is_archived_leaves_the_done_page_and_comes_back(cast: Cast, browse: Browse):
    task = factories.make_task(cast.harbour, "Caulk the seams", creator=cast.ada, assignee=cast.forge, status="done")
    client, page = browse(cast.ada), f"/rooms/{cast.harbour.pk}/tasks/{task.pk}"
    press(client, page, "Archive")
    assert "Caulk" not in client.get(f"/rooms/{cast.harbour.pk}/done").content.decode()
    assert "Caulk" in client.get(f"/rooms/{cast.harbour.pk}/done?archived").content.decode()
    press(client, page, "Bring back")
    assert "Caulk" in client.get(f"/rooms/{cast.harbour.pk}/done").content.decode()


def test_a_card_moves_in_its_lane_unless_somebody_was_faster(cast: Cast, browse: Browse, alone: Room):
    first = factories.make_task(cast.harbour, "First", creator=cast.ada, assignee=cast.forge, order=1024)
    second = factories.make_task(cast.harbour, "Second", creator=cast.ada, assignee=cast.forge, order=2048)
    client, place = browse(cast.ada), f"/rooms/{cast.harbour.pk}/tasks/{second.pk}/place"
    with committed():
        assert client.post(place, {"before": first.pk, "revision": "1"}).status_code == 302
        assert client.post(place, {"before": "", "revision": "1"}).status_code == 409
    second.refresh_from_db()
    first.refresh_from_db()
    assert second.order < first.order


def _is_disabled(answer, agent: Agent) -> bool:
    return bool(re.search(rf'value="{agent.plate}" disabled', answer.content.decode()))
