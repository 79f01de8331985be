"""Taking ended tasks off the board and back, and dragging open ones within their lane."""

from __future__ import annotations

import pytest

from agentroom.core.errors import Conflict, Forbidden, LimitReached, Validation
from agentroom.core.models import AuditRow, ChangeFeed, Revision
from rooms.models import Room
from tasks.models import Task
from tasks.operations.archive import archive_task, unarchive_task
from tasks.operations.reorder import reorder_task
from tests import factories


@pytest.fixture
def ended(harbour, scout, forge):
    return factories.make_task(harbour, creator=scout, assignee=forge, status="done")


@pytest.mark.parametrize("status", ["done", "failed", "cancelled"])
def test_the_creator_archives_what_has_ended(as_agent, harbour, scout, forge, status):
    task = factories.make_task(harbour, creator=scout, assignee=forge, status=status)

    assert archive_task(as_agent(scout), task_id=task.pk).archived is True


@pytest.mark.parametrize("status", ["todo", "doing", "blocked"])
def test_what_has_not_ended_is_not_archived(as_agent, harbour, scout, forge, status):
    task = factories.make_task(harbour, creator=scout, assignee=forge, status=status)

    with pytest.raises(Conflict):
        archive_task(as_agent(scout), task_id=task.pk)


def test_a_person_who_administers_archives_too_and_nobody_else(as_agent, as_person, ended, ada, grace, forge):
    for actor in (as_agent(forge), as_person(grace)):
        with pytest.raises(Forbidden):
            archive_task(actor, task_id=ended.pk)
    assert archive_task(as_person(ada), task_id=ended.pk).archived is True


def test_archiving_twice_changes_nothing_the_second_time(as_agent, ended, scout):
    archive_task(as_agent(scout), task_id=ended.pk)

    assert archive_task(as_agent(scout), task_id=ended.pk).archived is True
    assert AuditRow.objects.count() == 1


def test_only_a_person_who_administers_brings_it_back(as_person, as_agent, ended, scout, ada, grace):
    archive_task(as_agent(scout), task_id=ended.pk)

    with pytest.raises(Forbidden):
        unarchive_task(as_person(grace), task_id=ended.pk)
    assert unarchive_task(as_person(ada), task_id=ended.pk).archived is None


def test_a_full_board_takes_nothing_back(as_person, as_agent, harbour, ended, scout, ada, monkeypatch):
    archive_task(as_agent(scout), task_id=ended.pk)
    factories.make_task(harbour, creator=scout)
    monkeypatch.setattr("tasks.lanes.TASKS_PER_ROOM", 1)

    with pytest.raises(LimitReached):
        unarchive_task(as_person(ada), task_id=ended.pk)


@pytest.fixture
def lane(harbour, scout, forge):
    return [factories.make_task(harbour, creator=scout, assignee=forge, order=n * 1024) for n in (1, 2, 3)]


def order_of(lane):
    return [task.pk for task in Task.objects.filter(pk__in=[task.pk for task in lane]).order_by("order", "pk")]


def test_a_task_is_put_ahead_of_another_by_one_write(as_person, lane, ada):
    first, second, third = lane

    reorder_task(as_person(ada), task_id=third.pk, before=second.pk)

    assert order_of(lane) == [first.pk, third.pk, second.pk]
    assert AuditRow.objects.count() == 1


def test_a_task_is_put_first_and_last(as_person, lane, ada):
    first, second, third = lane

    reorder_task(as_person(ada), task_id=second.pk, before=first.pk)
    reorder_task(as_person(ada), task_id=first.pk)

    assert order_of(lane) == [second.pk, third.pk, first.pk]


def test_without_a_number_between_two_neighbours_the_lane_is_numbered_anew(as_person, lane, ada):
    first, second, third = lane
    Task.objects.filter(pk=second.pk).update(order=1025)

    reorder_task(as_person(ada), task_id=third.pk, before=second.pk)

    assert order_of(lane) == [first.pk, third.pk, second.pk]


@pytest.mark.parametrize("number", [0, 1, 2])
def test_a_task_dropped_where_it_was_leaves_no_trace(as_person, harbour, lane, ada, number):
    ahead_of = lane[number + 1].pk if number + 1 < len(lane) else None
    before = Room.objects.values().get(pk=harbour.pk)

    answer = reorder_task(as_person(ada), task_id=lane[number].pk, before=ahead_of)

    assert answer.revision == lane[number].revision
    assert Room.objects.values().get(pk=harbour.pk) == before
    assert (AuditRow.objects.count(), Revision.objects.count(), ChangeFeed.objects.count()) == (0, 0, 0)


def test_the_second_of_two_people_who_drag_one_card_is_told(as_person, lane, ada, grace):
    first, _, third = lane
    reorder_task(as_person(ada), task_id=third.pk, before=first.pk, expected_revision=1)

    with pytest.raises(Conflict, match="drag"):
        reorder_task(as_person(ada), task_id=third.pk, expected_revision=1)


def test_a_task_is_not_put_ahead_of_one_in_another_lane(as_person, lane, pool_task, ada):
    with pytest.raises(Validation):
        reorder_task(as_person(ada), task_id=lane[0].pk, before=pool_task.pk)


def test_a_lane_s_owner_orders_it_and_a_bystander_does_not(as_person, harbour, lane, scout, quill, grace):
    own = factories.make_task(harbour, creator=scout, assignee=quill)

    assert reorder_task(as_person(grace), task_id=own.pk).task_id == own.pk
    with pytest.raises(Forbidden):
        reorder_task(as_person(grace), task_id=lane[0].pk)
