"""Completing while others complete, reassign or repeat: all or nothing, and one ring for what becomes ready."""

from __future__ import annotations

import pytest

from agentroom.core.errors import Conflict, StaleLease
from rooms.models import Mention
from tasks.models import TaskRecord
from tasks.operations.assign import assign_task
from tasks.operations.complete import complete_task
from tasks.operations.release import force_release
from tests import factories
from tests.races.crowd import at_once, in_rounds, nothing_is_broken

pytestmark = pytest.mark.django_db(transaction=True)

DONE = {"status": "done", "summary": "Did it.", "handoff_notes": "In the shed."}


def finish(actor, task, **more):
    return lambda: complete_task(actor, task_id=task.pk, **DONE, **more)


@pytest.fixture
def doing(cast):
    return lambda agent, **fields: factories.make_task(
        cast.harbour, creator=cast.scout, assignee=agent, status="doing", **fields
    )


def test_the_tip_of_a_diamond_rings_once_however_its_sides_end_together(cast, as_agent, doing):
    actors = [as_agent(cast.scout), as_agent(cast.forge), as_agent(cast.scout), as_agent(cast.forge)]
    tips = []

    def sides(number):
        made = [doing(agent) for agent in (cast.scout, cast.forge, cast.scout, cast.forge)]
        tips.append(factories.make_task(cast.harbour, creator=cast.scout, assignee=cast.forge, depends_on=made))
        return [finish(actor, side) for actor, side in zip(actors, made, strict=True)]

    rounds = in_rounds(sides, 20)

    for tip, outcomes in zip(tips, rounds, strict=False):
        assert sorted(len(outcome.unblocked) for outcome in outcomes) == [0, 0, 0, 1]
        assert Mention.objects.filter(task_id=tip.pk).count() == 1
    assert nothing_is_broken()


def test_a_completion_and_a_reassignment_never_both_hold(cast, as_agent, doing):
    forge, ada = as_agent(cast.forge), factories.human_of(cast.ada)
    for _ in range(15):
        task = doing(cast.forge)

        completed, moved = at_once(
            [
                finish(forge, task),
                lambda task=task: assign_task(ada, task_id=task.pk, assignee=cast.scout.plate),
            ]
        )

        task.refresh_from_db()
        if isinstance(completed, StaleLease):
            assert (task.status, task.assignee, task.fence) == ("todo", cast.scout, 2)
            assert not TaskRecord.objects.filter(task=task).exists()
        else:
            assert isinstance(moved, Conflict)
            assert (task.status, task.assignee, task.fence) == ("done", cast.forge, 1)
    assert nothing_is_broken()


def test_a_completion_and_a_force_release_never_both_hold(cast, as_agent, doing):
    forge, ada = as_agent(cast.forge), factories.human_of(cast.ada)
    for _ in range(15):
        task = doing(cast.forge)

        completed, released = at_once([finish(forge, task), lambda task=task: force_release(ada, task_id=task.pk)])

        task.refresh_from_db()
        lost = StaleLease if task.status == "todo" else Conflict
        assert [type(one) for one in (completed, released) if isinstance(one, Exception)] == [lost]
    assert nothing_is_broken()


def test_the_same_completion_sent_many_times_is_one_with_one_answer(cast, as_agent, doing):
    forge = as_agent(cast.forge)
    for key in (None, "k"):
        task = doing(cast.forge)
        factories.make_task(cast.harbour, creator=cast.scout, assignee=cast.scout, depends_on=[task])

        answers = at_once([finish(forge, task, idempotency_key=key and f"{key}-{task.pk}")] * 8)

        assert len({str(answer.wire()) for answer in answers}) == 1
        assert TaskRecord.objects.filter(task=task).count() == 1
        assert Mention.objects.filter(agent=cast.scout).count() == (1 if key is None else 2)
    assert nothing_is_broken()


def test_two_different_close_outs_at_once_leave_one(cast, as_agent, doing):
    forge = as_agent(cast.forge)
    for _ in range(10):
        task = doing(cast.forge)

        outcomes = at_once(
            [
                finish(forge, task),
                lambda task=task: complete_task(forge, task_id=task.pk, status="failed", summary="It sank."),
            ]
        )

        task.refresh_from_db()
        assert [type(one) for one in outcomes if isinstance(one, Exception)] == [Conflict]
        assert TaskRecord.objects.get(task=task).status == task.status
    assert nothing_is_broken()
