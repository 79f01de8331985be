"""Reassigning: people who administer only, through the new owner's Trust, with the old holder stale at once."""

from __future__ import annotations

import pytest

from agentroom.core.errors import Conflict, Forbidden, NoGrant, NotFound, StaleLease
from agentroom.core.models import AuditRow
from rooms.models import Mention
from rooms.operations.messages import send_message
from tasks.models import Task
from tasks.operations.assign import assign_task
from tasks.operations.create import create_task
from tests import factories


@pytest.fixture
def assign(as_person, ada):
    return lambda task, agent, actor=None, **more: assign_task(
        actor or as_person(ada), task_id=task.pk, assignee=agent.plate, **more
    )


@pytest.mark.parametrize(("status", "fence"), [("todo", 1), ("doing", 2), ("blocked", 2), ("failed", 2)])
def test_an_open_or_failed_task_goes_to_todo_in_the_new_lane(assign, harbour, scout, forge, status, fence, rings):
    task = factories.make_task(harbour, creator=scout, assignee=forge, status=status)

    moved = assign(task, scout)

    assert (moved.status, moved.assignee, moved.fence) == ("todo", scout.plate, fence)
    assert (moved.holder, moved.reason, moved.lease_expires_at) == (None, None, None)
    assert rings(scout) == [("assigned", task.pk)]


@pytest.mark.parametrize("status", ["done", "cancelled"])
def test_what_is_over_is_not_reassigned(assign, harbour, scout, forge, status):
    task = factories.make_task(harbour, creator=scout, assignee=forge, status=status)

    with pytest.raises(Conflict):
        assign(task, scout)


def test_a_task_of_the_pool_can_be_given_to_an_agent(assign, pool_task, forge, rings):
    assert assign(pool_task, forge).assignee == forge.plate
    assert rings(forge) == [("assigned", pool_task.pk)]


def test_assigning_to_the_present_assignee_changes_nothing(assign, harbour, held, forge, rings):
    same = assign(held, forge)

    harbour.refresh_from_db()
    assert (same.status, same.fence, same.holder.instance) == ("doing", 1, "main")
    assert (harbour.board_version, rings(forge)) == (0, [])


def test_the_old_assignee_s_open_rings_for_the_task_are_withdrawn_and_its_messages_stay(
    assign, as_agent, harbour, scout, forge, rings
):
    made = create_task(
        as_agent(scout), room=harbour.pk, title="Sand it", definition_of_done="Smooth.", assignee=forge.plate
    )
    task = Task.objects.get(pk=made.task_id)
    send_message(
        as_agent(scout), room=harbour.pk, body="See the task.", mention_targets=["@forge(ada)"], task_id=task.pk
    )

    assign(task, scout)

    assert rings(forge) == [("message", task.pk)]
    assert Mention.objects.get(agent=forge, kind="assigned").cancelled_at is not None


def test_a_task_that_still_waits_does_not_ring_its_new_assignee(assign, harbour, scout, forge, pool_task, rings):
    waiting = factories.make_task(harbour, creator=scout, assignee=forge, depends_on=[pool_task])

    assign(waiting, scout)

    assert rings(scout) == []


def test_a_task_that_comes_back_rings_its_assignee_again(assign, as_agent, harbour, scout, forge, rings):
    made = create_task(
        as_agent(scout), room=harbour.pk, title="Sand it", definition_of_done="Smooth.", assignee=forge.plate
    )
    task = Task.objects.get(pk=made.task_id)

    assign(task, scout)
    assign(task, forge)

    assert rings(forge) == [("assigned", task.pk)]
    assert Mention.objects.filter(agent=forge).count() == 2


def test_another_owner_s_agent_needs_that_owner_s_trust(assign, harbour, held, grace, quill):
    with pytest.raises(NoGrant):
        assign(held, quill)
    held.refresh_from_db()
    assert (held.status, held.fence) == ("doing", 1)

    factories.set_trust(harbour, grace)
    assert assign(held, quill).consent == "accepted"


def test_back_within_one_owner_consent_is_a_matter_of_course_again(assign, harbour, scout, grace, quill):
    factories.set_trust(harbour, grace)
    task = factories.make_task(harbour, creator=scout, assignee=quill)

    assert assign(task, scout).consent == "auto"


def test_a_plain_member_may_not_reassign_even_its_own_agent_s_task(assign, as_person, harbour, scout, quill, grace):
    task = factories.make_task(harbour, creator=scout, assignee=quill)

    with pytest.raises(Forbidden):
        assign(task, scout, as_person(grace))


def test_an_agent_outside_the_room_is_not_found(assign, task, ada):
    with pytest.raises(NotFound):
        assign(task, factories.make_agent(ada, "outsider"))


def test_a_person_who_saw_an_older_fence_is_told(assign, held, scout):
    with pytest.raises(StaleLease):
        assign(held, scout, fence=0)


def test_the_task_goes_to_the_end_of_its_new_lane(assign, harbour, scout, forge):
    there = factories.make_task(harbour, creator=scout, assignee=scout, order=5000)
    task = factories.make_task(harbour, creator=scout, assignee=forge, order=1)

    assert assign(task, scout).order > there.order


def test_the_audit_row_says_from_whom_to_whom(assign, harbour, held, scout, forge):
    assign(held, scout)

    row = AuditRow.objects.get(chain=harbour.pk)
    assert row.act == "task.assign"
    assert row.before == {"status": "doing", "assignee": forge.pk, "fence": 1, "holder": "main"}
    assert row.after == {"status": "todo", "assignee": scout.pk, "fence": 2, "holder": ""}
