"""Tasks are found by what they say and by what was reported of them."""

from __future__ import annotations

import pytest

from agentroom.core.errors import Validation
from rooms.queries.search import search_room
from tests import factories


@pytest.fixture
def find(as_agent, harbour, scout):
    return lambda query, **more: search_room(as_agent(scout), room=harbour.pk, query=query, kinds=["task"], **more)


@pytest.fixture
def make(harbour, scout):
    return lambda title="Paint the hull", **fields: factories.make_task(harbour, title, creator=scout, **fields)


@pytest.mark.parametrize("query", ["HULL", "blue and", "old BRUSH", "painted it", "ÜBER"])
def test_a_task_is_found_by_every_text_it_carries(find, make, scout, query):
    task = make(assignee=scout, status="done", detail="Use the old brush, über all.")

    (hit,) = find(query).hits

    assert (hit.kind, hit.ref, hit.title) == ("task", task.pk, "Paint the hull")


def test_what_is_not_there_is_not_found(find, make):
    make()

    assert find("keel").hits == []
    assert find("%").hits == []


def test_pages_go_from_the_newest_backwards_and_miss_nothing(find, make):
    made = [make(f"Paint {number}").pk for number in range(7)]

    seen, after = [], None
    while True:
        page = find("paint", limit=3, after=after)
        seen += [hit.ref for hit in page.hits]
        after = page.next
        if after is None:
            break

    assert seen == sorted(made, reverse=True)


def test_another_room_s_tasks_stay_out(find, ada):
    factories.make_task(factories.make_room("Attic", admin=ada), creator=ada)

    assert find("hull").hits == []


def test_a_cursor_that_is_not_ours_is_refused(find):
    with pytest.raises(Validation):
        find("hull", after="task:x")
