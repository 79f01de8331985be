"""Edits of one graph and moves of one card at once: no circle, no double move, no full board (I-08)."""

from __future__ import annotations

import pytest

from agentroom.core.errors import Conflict, LimitReached, Overtaken, StaleLease
from rooms.models import Mention
from tasks.models import Dependency, Task
from tasks.operations.assign import assign_task
from tasks.operations.create import create_task
from tasks.operations.edit import update_task
from tasks.operations.reorder import reorder_task
from tests import factories
from tests.races.crowd import at_once, in_rounds, nothing_is_broken

pytestmark = pytest.mark.django_db(transaction=True)


@pytest.fixture
def make(cast):
    return lambda **fields: factories.make_task(cast.harbour, creator=cast.scout, **fields)


def after(actor, task, prerequisite):
    return lambda: update_task(actor, task_id=task.pk, depends_on=[prerequisite.pk])


@pytest.mark.parametrize("corners", [2, 3, 5])
def test_edges_that_would_close_a_circle_together_never_all_pass(cast, as_agent, make, corners):
    actors = [as_agent(cast.scout, f"copy-{n}") for n in range(corners)]

    def edges(number):
        tasks = [make() for _ in range(corners)]
        return [after(actors[n], tasks[n], tasks[(n + 1) % corners]) for n in range(corners)]

    rounds = in_rounds(edges, 10)

    for outcomes in rounds:
        refused = [outcome for outcome in outcomes if isinstance(outcome, Exception)]
        assert [type(error) for error in refused] == [Conflict]
        assert len(refused[0].facts["cycle"]) == corners + 1
    assert Dependency.objects.count() == 10 * (corners - 1)
    assert nothing_is_broken()


def test_of_two_people_who_saw_the_same_card_one_reassigns_it(cast, make):
    second = factories.make_owner("linus")
    factories.make_member(cast.harbour, second, role="admin")
    people = [factories.human_of(cast.ada), factories.human_of(second)]
    factories.set_trust(cast.harbour, cast.ada)
    to = [cast.scout, cast.forge]
    for _ in range(10):
        task = make(assignee=cast.quill, status="doing")

        outcomes = at_once(
            [
                lambda n=n, task=task: assign_task(people[n], task_id=task.pk, assignee=to[n].plate, fence=1)
                for n in range(2)
            ]
        )

        lost = [n for n, outcome in enumerate(outcomes) if isinstance(outcome, StaleLease)]
        task.refresh_from_db()
        assert (len(lost), task.fence, task.assignee) == (1, 2, to[1 - lost[0]])
        assert open_rings(task) == [to[1 - lost[0]].pk]
    assert nothing_is_broken()


def test_reassigned_twice_at_once_a_task_rings_only_who_has_it_in_the_end(cast, make):
    ada = factories.human_of(cast.ada)
    for _ in range(10):
        task = make(assignee=cast.quill, status="doing")

        at_once(
            [
                lambda agent=agent, task=task: assign_task(ada, task_id=task.pk, assignee=agent.plate)
                for agent in (cast.scout, cast.forge)
            ]
        )

        task.refresh_from_db()
        assert (task.fence, task.ready_generation) == (3, 2)
        assert open_rings(task) == [task.assignee_id]
    assert nothing_is_broken()


def test_of_two_people_who_drag_one_card_one_moves_it(cast, make):
    ada = factories.human_of(cast.ada)
    for _ in range(10):
        first, second, card = (make(assignee=cast.forge, order=order) for order in (1000, 2000, 3000))

        outcomes = at_once(
            [
                lambda card=card, other=other: reorder_task(ada, task_id=card.pk, before=other.pk, expected_revision=1)
                for other in (first, second)
            ]
        )

        assert [type(one) for one in outcomes if isinstance(one, Exception)] == [Overtaken]
    assert nothing_is_broken()


def test_the_last_place_on_the_board_goes_to_one(cast, as_agent, monkeypatch):
    monkeypatch.setattr("tasks.lanes.TASKS_PER_ROOM", 4)
    actors = [as_agent(cast.scout, f"copy-{n}") for n in range(8)]

    outcomes = at_once(
        [
            lambda actor=actor: create_task(actor, room=cast.harbour.pk, title="T", definition_of_done="D")
            for actor in actors
        ]
    )

    assert [type(one) for one in outcomes if isinstance(one, Exception)] == [LimitReached] * 4
    assert Task.objects.count() == 4
    assert len(set(Task.objects.values_list("order", flat=True))) == 4
    assert nothing_is_broken()


def open_rings(task):
    return list(Mention.objects.filter(task_id=task.pk, cancelled_at=None).values_list("agent_id", flat=True))
