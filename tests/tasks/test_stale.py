"""Stale is computed on every read, changes nothing, and is noted once per episode (I-04)."""

from __future__ import annotations

from datetime import UTC, datetime, timedelta

import pytest

from agentroom.core.clock import db_now, shifted
from agentroom.core.errors import StaleLease
from agentroom.core.models import AuditRow
from identity.models import Instance
from rooms.operations.messages import send_message
from tasks.board import Late
from tasks.jobs import notice_stale_tasks
from tasks.models import Task
from tasks.operations.assign import assign_task
from tasks.operations.claim import claim_task
from tasks.operations.complete import complete_task
from tasks.operations.create import create_task
from tasks.operations.edit import update_task
from tasks.operations.renew import renew_lease
from tasks.operations.status import set_status
from tasks.projection import Contact, Staleness, staleness
from tasks.queries.board import read_board
from tests import factories

NOON = datetime(2026, 3, 1, 12, 0, tzinfo=UTC)
MINUTE = timedelta(minutes=1)


def doing(*, lease_ends=NOON, progress=NOON - 10 * MINUTE):
    return Late("t", "doing", "a", lease_ends, progress, NOON - 60 * MINUTE)


def todo(*, assigned=NOON, assignee="a"):
    return Late("t", "todo", assignee, None, None, assigned)


@pytest.mark.parametrize(
    ("task", "contact", "minutes", "reason", "since"),
    [
        (doing(), Contact(), -1, None, None),
        (doing(), Contact(), 0, "lease_ended", 0),
        (doing(), Contact(), 500, "lease_ended", 0),
        (doing(lease_ends=NOON + 600 * MINUTE), Contact(), 49, None, None),
        (doing(lease_ends=NOON + 600 * MINUTE), Contact(), 50, "no_progress", 50),
        (doing(lease_ends=NOON + 600 * MINUTE), Contact(spoke_at=NOON), 59, None, None),
        (doing(lease_ends=NOON + 600 * MINUTE), Contact(spoke_at=NOON), 60, "no_progress", 60),
        (doing(lease_ends=NOON + 600 * MINUTE), Contact(seen_at=NOON + 400 * MINUTE), 50, "no_progress", 50),
        (doing(lease_ends=NOON + 70 * MINUTE), Contact(), 80, "no_progress", 50),
        (todo(), Contact(), 29, None, None),
        (todo(), Contact(), 30, "no_live_instance", 30),
        (todo(), Contact(seen_at=NOON + 28 * MINUTE), 32, None, None),
        (todo(), Contact(seen_at=NOON + 28 * MINUTE), 33, "no_live_instance", 33),
        (todo(assignee=None), Contact(), 500, None, None),
        (Late("t", "blocked", "a", NOON, NOON, NOON), Contact(), 5000, None, None),
        (Late("t", "done", "a", None, NOON, NOON), Contact(), 5000, None, None),
    ],
)
def test_why_and_since_when(task, contact, minutes, reason, since):
    found = staleness(task, NOON + minutes * MINUTE, contact)

    assert found == (None if reason is None else Staleness(reason, NOON + since * MINUTE))


def test_a_lease_that_ends_changes_nothing_but_the_flag(as_agent, as_person, harbour, held, scout, forge, ada):
    before = Task.objects.filter(pk=held.pk).values().get()

    with shifted(timedelta(minutes=11)):
        notice_stale_tasks()
        notice_stale_tasks()
        row = read_board(as_agent(scout), room=harbour.pk).lanes[0].tasks[0]
        lost = claim_task(as_agent(scout), task_id=held.pk)

    after = Task.objects.filter(pk=held.pk).values().get()
    assert (row["stale"], row["stale_reason"], row["stale_since"]) == (True, "lease_ended", held.lease_expires_at)
    assert lost.reason == "not_assigned"
    assert {**after, "stale_noticed": None} == before

    assign_task(as_person(ada), task_id=held.pk, assignee=scout.plate)
    with pytest.raises(StaleLease):
        complete_task(as_agent(forge), task_id=held.pk, status="done", summary="Late.", handoff_notes="Late.")


def test_an_episode_is_noted_once_and_its_end_once(as_agent, harbour, held, forge):
    for minutes in (5, 11, 12, 13):
        with shifted(minutes * MINUTE):
            notice_stale_tasks()
    assert acts() == ["task.stale"]

    with shifted(13 * MINUTE):
        renew_lease(as_agent(forge), task_id=held.pk)
        notice_stale_tasks()
        notice_stale_tasks()
    assert acts() == ["task.stale", "task.stale_over"]

    with shifted(30 * MINUTE):
        notice_stale_tasks()
    assert acts() == ["task.stale", "task.stale_over", "task.stale"]


def test_a_notice_says_why_and_since_when_and_bumps_no_board_version(harbour, held):
    with shifted(11 * MINUTE):
        notice_stale_tasks()

    harbour.refresh_from_db()
    row = AuditRow.objects.get()
    assert (row.actor_key, row.after["reason"]) == ("system", "lease_ended")
    assert harbour.board_version == 0


def test_what_moved_on_meanwhile_is_not_reported_as_over(as_agent, held, forge):
    with shifted(11 * MINUTE):
        notice_stale_tasks()
        complete_task(as_agent(forge), task_id=held.pk, status="done", summary="Did it.", handoff_notes="Shed.")
        notice_stale_tasks()

    assert acts() == ["task.stale", "task.complete"]


def test_a_message_counts_as_progress_and_renewing_does_not(as_agent, harbour, held, forge):
    Task.objects.filter(pk=held.pk).update(lease_expires_at=db_now() + timedelta(days=1))
    with shifted(61 * MINUTE):
        renew_lease(as_agent(forge), task_id=held.pk)
        assert flags(as_agent(forge), harbour) == {held.pk: ["stale"]}
        send_message(as_agent(forge), room=harbour.pk, body="Second coat is on.")
        assert flags(as_agent(forge), harbour) is None


def test_an_assigned_task_is_stale_once_nobody_is_there_to_take_it(as_agent, harbour, task, scout, forge):
    instance = Instance.objects.create(agent=forge, name="main", last_seen_at=db_now())
    with shifted(31 * MINUTE):
        assert flags(as_agent(scout), harbour) == {task.pk: ["stale"]}
        Instance.objects.filter(pk=instance.pk).update(last_seen_at=db_now())
        assert flags(as_agent(scout), harbour) is None


def test_what_waits_for_another_task_is_not_waited_for(as_agent, as_person, harbour, scout, forge, quill, ada):
    """Its half hour begins when it is set free, however that comes about."""
    first = factories.make_task(harbour, creator=scout, assignee=forge, status="doing")
    text = {"room": harbour.pk, "title": "Next", "definition_of_done": "Done."}
    ways = {
        way: create_task(as_agent(scout), **text, assignee=scout.plate, depends_on=[first.pk]).task_id
        for way in ("completed", "rewired", "assigned", "reopened")
    }
    set_status(as_agent(scout), task_id=ways["reopened"], status="cancelled")
    with shifted(40 * MINUTE):
        assign_task(as_person(ada), task_id=ways["assigned"], assignee=forge.plate)
        set_status(as_person(ada), task_id=ways["reopened"], status="todo")
    with shifted(80 * MINUTE):
        notice_stale_tasks()
        assert not set(ways.values()) & set(flags(as_agent(scout), harbour) or {})
        update_task(as_agent(scout), task_id=ways["rewired"], depends_on=[])
        complete_task(as_agent(forge), task_id=first.pk, status="done", summary="Did it.", handoff_notes="Shed.")
    with shifted(109 * MINUTE):
        assert flags(as_agent(scout), harbour) is None
    with shifted(111 * MINUTE):
        assert flags(as_agent(scout), harbour) == {task_id: ["stale"] for task_id in ways.values()}
        rows = [row for lane in read_board(as_agent(scout), room=harbour.pk).lanes for row in lane.tasks]
        assert {row["task_id"] for row in rows if row.get("stale_reason") == "no_live_instance"} == set(ways.values())
        update_task(as_agent(scout), task_id=ways["rewired"], depends_on=[blocker(harbour, scout).pk])
        assert ways["rewired"] not in flags(as_agent(scout), harbour)
    assert AuditRow.objects.filter(act="task.stale", record_id__in=ways.values()).count() == 0


def blocker(room, agent):
    return factories.make_task(room, "Wait", creator=agent)


def test_the_sweep_passes_what_is_not_stale_and_finds_what_lies_behind(harbour, scout, forge, monkeypatch):
    monkeypatch.setattr("tasks.queries.stale.AT_ONCE", 3)
    Instance.objects.create(agent=forge, name="main", last_seen_at=db_now() + timedelta(days=1))
    for _ in range(7):
        factories.make_task(harbour, creator=scout, assignee=forge)
    late = [factories.make_task(harbour, creator=scout, assignee=scout).pk for _ in range(5)]

    with shifted(31 * MINUTE):
        notice_stale_tasks()

    assert sorted(AuditRow.objects.values_list("record_id", flat=True)) == sorted(late)


def acts():
    return list(AuditRow.objects.order_by("seq").values_list("act", flat=True))


def flags(actor, room):
    room.refresh_from_db()
    return read_board(actor, room=room.pk, since_version=room.board_version).time_flags
