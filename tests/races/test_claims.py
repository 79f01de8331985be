"""Of any number of claims at once exactly one wins, and every loser gets its definite reason (I-01, I-02)."""

from __future__ import annotations

import pytest

from agentroom.core.models import AuditRow
from agentroom.gateway import dispatch
from tasks.models import Task, TaskHold
from tasks.operations.claim import claim_task
from tasks.operations.release import release_task
from tests import factories
from tests.races.crowd import CONTENDERS, ROUNDS, at_once, in_rounds, nothing_is_broken

pytestmark = pytest.mark.django_db(transaction=True)


def by_operation(actor, task):
    return lambda: claim_task(actor, task_id=task.pk).wire()


def by_keyed_operation(actor, task):
    return lambda: claim_task(actor, task_id=task.pk, idempotency_key=f"{actor.instance_id}-{task.pk}").wire()


def by_dispatch(actor, task):
    def call():
        reply = dispatch.call(
            actor, "claim_task", {"task_id": task.pk, "instance_id": actor.instance_id}, request_id="req_race"
        )
        assert reply.ok, reply.data
        return reply.data

    return call


WAYS = (by_operation, by_dispatch, by_keyed_operation)


def test_a_task_of_the_pool_has_one_winner_in_every_round(cast, as_agent, plates, record_property):
    record_property("claims", CONTENDERS * ROUNDS)
    actors = [as_agent(plates[n % 3], f"copy-{n}") for n in range(CONTENDERS)]
    tasks = []

    def claims(number):
        tasks.append(factories.make_task(cast.harbour, creator=cast.ada))
        return [WAYS[(n + number) % 3](actor, tasks[-1]) for n, actor in enumerate(actors)]

    for task, outcomes in zip(tasks, in_rounds(claims, ROUNDS), strict=False):
        (winner,) = [n for n, outcome in enumerate(outcomes) if outcome["claimed"]]
        for n, outcome in enumerate(outcomes):
            if n == winner:
                assert outcome["fence"] == 1
            elif actors[n].plate == actors[winner].plate:
                assert outcome["reason"] == "already_claimed"
                assert outcome["holder"]["instance"] == actors[winner].instance_id
                assert outcome["holder"]["same_instance"] is False
            else:
                assert (outcome["reason"], outcome["assignee"]) == ("not_assigned", actors[winner].plate)
        task.refresh_from_db()
        assert (task.status, task.fence, task.holder_instance) == ("doing", 1, actors[winner].instance_id)

    assert TaskHold.objects.count() == AuditRow.objects.filter(act="task.claim").count() == ROUNDS
    cast.harbour.refresh_from_db()
    assert cast.harbour.board_version == ROUNDS
    assert nothing_is_broken()


def test_an_assigned_task_goes_to_one_instance_of_its_assignee(cast, as_agent):
    actors = [as_agent(cast.forge, f"copy-{n}") for n in range(8)]
    tasks = []

    def claims(number):
        tasks.append(factories.make_task(cast.harbour, creator=cast.scout, assignee=cast.forge))
        return [WAYS[n % 3](actor, tasks[-1]) for n, actor in enumerate(actors)]

    for outcomes in in_rounds(claims, 10):
        assert sorted(outcome.get("reason", "") for outcome in outcomes) == ["", *["already_claimed"] * 7]

    assert Task.objects.filter(status="doing", fence=1).count() == 10
    assert nothing_is_broken()


def test_claim_and_release_at_once_leave_the_task_held_or_open_never_between(cast, as_agent):
    for _ in range(10):
        task = factories.make_task(cast.harbour, creator=cast.scout, assignee=cast.forge, status="doing")
        first, second = as_agent(cast.forge), as_agent(cast.forge, "second")

        released, claim = at_once(
            [
                lambda first=first, task=task: release_task(first, task_id=task.pk),
                by_operation(second, task),
            ]
        )

        task.refresh_from_db()
        assert released.status == "todo"
        expected = ("doing", 3, "second") if claim["claimed"] else ("todo", 2, "")
        assert (task.status, task.fence, task.holder_instance) == expected
    assert nothing_is_broken()
