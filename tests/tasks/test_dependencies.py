"""No circle ever closes, and what the last prerequisite sets free rings once (I-07, I-08)."""

from __future__ import annotations

import pytest

from agentroom.core.errors import Conflict
from rooms.models import Mention
from tasks.models import Dependency, Task
from tasks.operations.claim import claim_task
from tasks.operations.complete import complete_task
from tasks.operations.edit import update_task
from tests import factories

LETTER = {"status": "done", "summary": "Did it.", "handoff_notes": "All of it is in the shed."}


@pytest.fixture
def make(harbour, scout):
    return lambda **fields: factories.make_task(harbour, creator=scout, **fields)


def test_a_task_cannot_wait_for_itself(as_agent, task, scout):
    with pytest.raises(Conflict) as refused:
        update_task(as_agent(scout), task_id=task.pk, depends_on=[task.pk])

    assert refused.value.facts == {"cycle": [task.pk, task.pk]}


def test_a_circle_is_refused_and_listed(as_agent, make, scout):
    first = make()
    second = make(depends_on=[first])
    third = make(depends_on=[second])

    with pytest.raises(Conflict) as refused:
        update_task(as_agent(scout), task_id=first.pk, depends_on=[third.pk])

    assert refused.value.facts == {"cycle": [first.pk, third.pk, second.pk, first.pk]}
    assert not Dependency.objects.filter(task=first).exists()


def test_a_diamond_is_no_circle(as_agent, make, scout):
    root = make()
    left, right = make(depends_on=[root]), make(depends_on=[root])
    tip = make()

    assert update_task(as_agent(scout), task_id=tip.pk, depends_on=[left.pk, right.pk]).depends_on == [
        left.pk,
        right.pk,
    ]


def test_turning_an_edge_round_is_allowed_once_the_old_one_is_gone(as_agent, make, scout):
    first = make()
    second = make(depends_on=[first])
    actor = as_agent(scout)

    update_task(actor, task_id=second.pk, depends_on=[])
    update_task(actor, task_id=first.pk, depends_on=[second.pk])

    assert Dependency.objects.get().task == first


def test_a_circle_through_a_cancelled_task_is_still_a_circle(as_agent, make, scout):
    dropped = make(status="cancelled")
    waiting = make(depends_on=[dropped])
    Dependency.objects.create(task=dropped, prerequisite=make())

    with pytest.raises(Conflict):
        update_task(
            as_agent(scout), task_id=Dependency.objects.get(task=dropped).prerequisite_id, depends_on=[waiting.pk]
        )


def test_the_tip_of_a_diamond_rings_once_after_its_last_prerequisite(as_agent, make, scout, forge, quill, rings):
    left = make(assignee=scout, status="doing")
    right = make(assignee=scout, status="doing")
    tip = make(assignee=forge, depends_on=[left, right])

    first = complete_task(as_agent(scout), task_id=left.pk, **LETTER)
    assert (first.unblocked, rings(forge)) == ([], [])

    last = complete_task(as_agent(scout), task_id=right.pk, **LETTER)
    assert [freed.task_id for freed in last.unblocked] == [tip.pk]
    assert rings(forge) == [("unblocked", tip.pk)]
    mention = Mention.objects.get(agent=forge)
    assert mention.source == f"task:{tip.pk}:1"
    assert last.unblocked[0].mention_id == mention.pk


def test_one_completion_sets_free_all_that_waited_for_it_alone(as_agent, make, scout, forge, rings):
    root = make(assignee=scout, status="doing")
    freed = [make(assignee=forge, depends_on=[root]) for _ in range(3)]
    make(assignee=forge, depends_on=[root, make()])

    done = complete_task(as_agent(scout), task_id=root.pk, **LETTER)

    assert [one.task_id for one in done.unblocked] == sorted(task.pk for task in freed)
    assert sorted(task_id for _, task_id in rings(forge)) == sorted(task.pk for task in freed)


def test_a_task_in_the_pool_becomes_ready_without_a_ring(as_agent, make, scout):
    root = make(assignee=scout, status="doing")
    pooled = make(depends_on=[root])

    done = complete_task(as_agent(scout), task_id=root.pk, **LETTER)

    assert [one.wire() for one in done.unblocked] == [{"task_id": pooled.pk}]
    assert not Mention.objects.exists()


def test_what_is_blocked_by_hand_hears_of_its_prerequisite_too(as_agent, make, scout, forge, rings):
    root = make(assignee=scout, status="doing")
    waiting = make(assignee=forge, depends_on=[root])
    Task.objects.filter(pk=waiting.pk).update(status="blocked", reason="Waits for the hull.")

    complete_task(as_agent(scout), task_id=root.pk, **LETTER)

    waiting.refresh_from_db()
    assert waiting.status == "blocked"
    assert rings(forge) == [("unblocked", waiting.pk)]


@pytest.mark.parametrize("status", ["failed", "cancelled"])
def test_what_has_ended_is_not_rung_back(as_agent, make, scout, forge, rings, status):
    root = make(assignee=scout, status="doing")
    make(assignee=forge, depends_on=[root], status=status)

    assert complete_task(as_agent(scout), task_id=root.pk, **LETTER).unblocked == []
    assert rings(forge) == []


@pytest.mark.parametrize("status", ["failed", "blocked"])
def test_a_prerequisite_that_ends_otherwise_sets_nothing_free(as_agent, make, scout, forge, rings, status):
    root = make(assignee=scout, status="doing")
    make(assignee=forge, depends_on=[root])

    complete_task(as_agent(scout), task_id=root.pk, status=status, summary="The paint is gone.")

    assert rings(forge) == []


def test_across_owners_with_trust_off_the_wake_is_skipped_and_the_letter_stays(
    as_agent, harbour, grace, make, scout, quill
):
    factories.set_trust(harbour, grace)
    root = make(assignee=scout, status="doing")
    waiting = make(assignee=quill, depends_on=[root])
    factories.set_trust(harbour, grace, on=False)

    done = complete_task(as_agent(scout), task_id=root.pk, **LETTER)

    assert done.unblocked[0].outcome == "skipped(trust_off)"
    claim = claim_task(as_agent(quill), task_id=waiting.pk)
    assert claim.task.handoff_notes[0].notes == LETTER["handoff_notes"]
    assert root.records.get().unblocked[0]["outcome"] == "skipped(trust_off)"
