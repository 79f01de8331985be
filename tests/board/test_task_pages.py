"""Making, reading and editing a task by plain forms."""

from __future__ import annotations

import pytest

from identity.models import Owner
from tasks.models import Task
from tests import factories
from tests.board.conftest import Browse
from tests.clients import committed
from tests.conftest import Cast

DONE = "The hull is dry."


def test_a_task_is_made_for_an_agent_and_waits_for_another(cast: Cast, browse: Browse, task: Task):
    form = {"title": "Paint it", "definition_of_done": DONE, "assignee": cast.scout.plate, "depends_on": [task.pk]}
    with committed():
        answer = browse(cast.ada).post(f"/rooms/{cast.harbour.pk}/tasks/new", form)
    made = Task.objects.get(title="Paint it")
    assert answer["Location"] == f"/rooms/{cast.harbour.pk}#task-{made.pk}"
    assert made.assignee == cast.scout
    assert list(made.dependencies.values_list("prerequisite_id", flat=True)) == [task.pk]


@pytest.mark.parametrize(
    ("wrong", "says"),
    [
        ({"title": " "}, "must be filled in"),
        ({"title": "x" * 201}, "max 200 characters, got 201"),
        ({"definition_of_done": ""}, "must be filled in"),
        ({"detail": "x" * 8200}, "max 8192 bytes, got 8200"),
        ({"assignee": "BRNL-AGT-00000000"}, "No agent with this plate"),
        ({"spec_ref": "file:nowhere.md"}, "spec_ref"),
    ],
)
def test_a_refused_task_comes_back_filled_in(cast: Cast, browse: Browse, wrong: dict[str, str], says: str):
    form = {"title": "Paint it", "definition_of_done": DONE, "detail": "Blue <b>paint</b>", **wrong}
    answer = browse(cast.ada).post(f"/rooms/{cast.harbour.pk}/tasks/new", form)
    page = answer.content.decode()
    assert 400 <= answer.status_code < 500
    assert says in page
    if "detail" not in wrong:
        assert "Blue &lt;b&gt;paint&lt;/b&gt;" in page
    assert not Task.objects.exists()


def test_a_form_sent_twice_makes_one_task(cast: Cast, browse: Browse):
    client, form = browse(cast.ada), {"title": "Paint it", "definition_of_done": DONE, "idempotency_key": "one-form"}
    with committed():
        client.post(f"/rooms/{cast.harbour.pk}/tasks/new", form)
        client.post(f"/rooms/{cast.harbour.pk}/tasks/new", form)
    assert Task.objects.count() == 1


def test_a_member_makes_tasks_but_not_for_an_agent_whose_owner_has_trust_off(cast: Cast, browse: Browse):
    client, form = browse(cast.grace), {"title": "Paint it", "definition_of_done": DONE, "assignee": cast.scout.plate}
    answer = client.post(f"/rooms/{cast.harbour.pk}/tasks/new", form)
    assert answer.status_code == 403
    assert "turn Trust on" in answer.content.decode()
    factories.set_trust(cast.harbour, cast.ada)
    with committed():
        assert client.post(f"/rooms/{cast.harbour.pk}/tasks/new", form).status_code == 302


def test_the_page_of_a_task_tells_all_there_is_to_it(cast: Cast, browse: Browse):
    first = factories.make_task(cast.harbour, "Caulk", creator=cast.ada, assignee=cast.forge, status="done")
    task = factories.make_task(
        cast.harbour,
        "Paint",
        creator=cast.ada,
        assignee=cast.scout,
        status="doing",
        depends_on=[first],
        detail="*Blue*",
    )
    factories.make_task(cast.harbour, "Launch", creator=cast.ada, depends_on=[task])
    client = browse(cast.grace)
    page = client.get(f"/rooms/{cast.harbour.pk}/tasks/{task.pk}").content.decode()
    for part in ("Paint", task.definition_of_done, "<em>Blue</em>", "Caulk", "Launch", cast.scout.plate):
        assert part in page
    done = client.get(f"/rooms/{cast.harbour.pk}/tasks/{first.pk}").content.decode()
    assert "Two coats; the second dries until noon." in done


def test_an_edit_over_what_somebody_else_changed_is_a_conflict_with_the_draft(cast: Cast, browse: Browse, task: Task):
    client, page = browse(cast.ada), f"/rooms/{cast.harbour.pk}/tasks/{task.pk}/edit"
    form = {"title": "Mine", "definition_of_done": DONE, "detail": "My detail", "revision": "1"}
    Task.objects.filter(pk=task.pk).update(revision=2, title="Theirs")
    answer = client.post(page, form)
    html = answer.content.decode()
    assert answer.status_code == 409
    assert "My detail" in html
    assert 'name="revision" value="2"' in html
    task.refresh_from_db()
    assert task.title == "Theirs"
    with committed():
        assert client.post(page, {**form, "revision": "2"}).status_code == 302
    task.refresh_from_db()
    assert (task.title, task.detail) == ("Mine", "My detail")


def test_an_edit_may_empty_the_detail_and_the_prerequisites(cast: Cast, browse: Browse):
    first = factories.make_task(cast.harbour, creator=cast.ada)
    task = factories.make_task(cast.harbour, creator=cast.ada, detail="Long", depends_on=[first])
    form = {"title": "Short", "definition_of_done": DONE, "detail": "", "revision": "1"}
    with committed():
        browse(cast.ada).post(f"/rooms/{cast.harbour.pk}/tasks/{task.pk}/edit", form)
    task.refresh_from_db()
    assert (task.title, task.detail, task.dependencies.count()) == ("Short", "", 0)


def test_a_circle_is_refused_and_the_form_keeps_what_was_ticked(cast: Cast, browse: Browse):
    first = factories.make_task(cast.harbour, "First", creator=cast.ada)
    second = factories.make_task(cast.harbour, "Second", creator=cast.ada, depends_on=[first])
    form = {"title": "First", "definition_of_done": DONE, "depends_on": [second.pk], "revision": "1"}
    answer = browse(cast.ada).post(f"/rooms/{cast.harbour.pk}/tasks/{first.pk}/edit", form)
    assert answer.status_code == 409
    assert f'value="{second.pk}" checked' in answer.content.decode()


def test_the_board_says_what_is_wrong_in_a_sentence_with_since_when(cast: Cast, browse: Browse):
    task = factories.make_task(cast.harbour, creator=cast.ada, assignee=cast.forge, status="doing")
    Task.objects.filter(pk=task.pk).update(lease_expires_at=task.created_at)
    page = browse(cast.ada).get(f"/rooms/{cast.harbour.pk}").content.decode()
    assert "forge let its lease end, <time" in page


def test_a_prerequisite_that_failed_is_shown_with_its_state(cast: Cast, browse: Browse):
    first = factories.make_task(cast.harbour, "Caulk", creator=cast.ada, assignee=cast.forge, status="cancelled")
    factories.make_task(cast.harbour, "Paint", creator=cast.ada, depends_on=[first])
    page = browse(cast.ada).get(f"/rooms/{cast.harbour.pk}").content.decode()
    assert "Waits for" in page
    assert 'aria-label="cancelled"' in page


def test_work_of_an_agent_that_left_stays_in_sight_and_can_be_taken_away(cast: Cast, browse: Browse, task: Task):
    cast.forge.memberships.update(left_at=task.created_at)
    lanes = browse(cast.ada).get(f"/rooms/{cast.harbour.pk}").content.decode()
    assert task.title in lanes
    assert '<span class="tag warn">left</span>' in lanes


def test_an_owner_sees_only_own_rooms(cast: Cast, browse: Browse, outsider: Owner):
    link = f'href="/rooms/{cast.harbour.pk}"'
    assert link in browse(cast.ada).get("/").content.decode()
    assert link not in browse(outsider).get("/").content.decode()
