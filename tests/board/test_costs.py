"""What pages cost in statements: the same for a full board as for an empty one, whatever is over and said."""

from __future__ import annotations

from collections.abc import Callable

import pytest

from agentroom.board import fragments
from agentroom.core.clock import db_now
from rooms.models import Message, Room
from tasks.models import Task
from tests import factories
from tests.board.conftest import Browse
from tests.conftest import Cast

MOST = 20


@pytest.fixture
def cost(cast: Cast, browse: Browse, counting_queries) -> Callable[[str], int]:
    """How many statements ada's browser needs for a page of Harbour that nobody has looked at before."""
    client = browse(cast.ada)
    client.get("/")

    def of(page: str) -> int:
        fragments.forget()
        with counting_queries() as queries:
            assert client.get(f"/rooms/{cast.harbour.pk}{page}").status_code == 200
        return len(queries)

    return of


def fill(cast: Cast, tasks: int = 0, done: int = 0, messages: int = 0) -> None:
    agents = [None, cast.scout, cast.forge, cast.quill]
    before = None
    for number in range(tasks):
        waits = [before] if before and number % 3 == 0 else None
        status = ("todo", "doing", "blocked")[number % 3] if number % 4 else "todo"
        agent = agents[number % 4]
        before = factories.make_task(
            cast.harbour, f"Task {number}", creator=cast.ada, assignee=agent, status=status, depends_on=waits
        )
    for number in range(done):
        factories.make_task(cast.harbour, f"Old {number}", creator=cast.ada, assignee=cast.forge, status="done")
    first = Message.objects.filter(room=cast.harbour).count() + 1
    now = db_now()
    Message.objects.bulk_create(
        Message(room=cast.harbour, seq=seq, agent=cast.scout, body=f"Line {seq}", created_at=now)
        for seq in range(first, first + messages)
    )
    Room.objects.filter(pk=cast.harbour.pk).update(message_seq=first + messages - 1)


def test_the_room_page_with_two_hundred_tasks_stays_within_its_statements(cast: Cast, cost):
    fill(cast, tasks=200, done=10, messages=60)
    assert cost("") <= MOST


@pytest.mark.parametrize("page", ["", "/parts/lanes", "/done", "/talk", "/members", "/settings", "/tasks/new"])
def test_a_page_costs_the_same_however_much_there_is(page: str, cast: Cast, cost):
    fill(cast, tasks=8, done=2, messages=5)
    few = cost(page)
    fill(cast, tasks=40, done=40, messages=150)
    assert cost(page) == few <= MOST


def test_a_task_page_costs_the_same_however_much_hangs_on_it(cast: Cast, cost):
    task = factories.make_task(cast.harbour, creator=cast.ada, assignee=cast.forge, status="doing")
    factories.make_task(cast.harbour, creator=cast.ada, depends_on=[task])
    few = cost(f"/tasks/{task.pk}")
    for _ in range(10):
        factories.make_task(cast.harbour, creator=cast.ada, assignee=cast.scout, depends_on=[task])
    assert cost(f"/tasks/{task.pk}") == few <= MOST


def test_a_second_look_at_an_unchanged_board_renders_nothing_again(cast: Cast, browse: Browse, counting_queries):
    fill(cast, tasks=12)
    ada, page = browse(cast.ada), f"/rooms/{cast.harbour.pk}/parts/lanes"
    ada.get(page)
    with counting_queries() as queries:
        ada.get(page)
    assert not [query for query in queries if Task._meta.db_table in query["sql"]]


def test_a_member_never_gets_what_was_rendered_for_an_admin(cast: Cast, browse: Browse):
    fill(cast, tasks=4)
    page = f"/rooms/{cast.harbour.pk}/parts/lanes"
    assert 'draggable="true"' in browse(cast.ada).get(page).content.decode()
    assert 'draggable="true"' not in browse(cast.grace).get(page).content.decode()


def test_a_pull_brings_the_changed_lane_alone_and_nothing_when_none_changed(cast: Cast, browse: Browse):
    fill(cast, tasks=8)
    client, page = browse(cast.ada), f"/rooms/{cast.harbour.pk}"
    shown = client.get(page).context["lanes"]
    known = {"lane": [f"{key}:{lane.digest}" for key, lane in shown.items()]}
    assert client.get(f"{page}/parts/lanes", known).status_code == 204
    task = Task.objects.filter(room=cast.harbour, assignee=cast.scout).first()
    Task.objects.filter(pk=task.pk).update(title="Renamed")
    fragments.forget()
    html = client.get(f"{page}/parts/lanes", known).content.decode()
    assert f'id="lane-{cast.scout.plate}"' in html
    assert f'id="lane-{cast.forge.plate}"' not in html
