"""The embedded runner: nudges and schedule on threads of their own, neither able to delay or end the other."""

from __future__ import annotations

import threading
from collections.abc import Callable, Iterator
from datetime import timedelta

import pytest
from celery import current_app
from celery.schedules import crontab, schedule
from django.core.exceptions import ImproperlyConfigured
from django.utils.module_loading import autodiscover_modules

from agentroom.core import background
from agentroom.core.lanes import Beat, Entry, Lane, Worker
from agentroom.core.nudges import Nudge, Nudges
from tests.services.processes import wait_for


@pytest.fixture
def started() -> Iterator[Callable[[Lane], None]]:
    lanes: list[Lane] = []

    def start(lane: Lane) -> None:
        lanes.append(lane)
        lane.start()

    yield start
    for lane in lanes:
        assert lane.stop(30)


@pytest.fixture(autouse=True, scope="module")
def jobs_are_known():
    autodiscover_modules("jobs")


def one_line(interval: object, task: str = "core.beat") -> dict[str, dict[str, object]]:
    return {"one": {"task": task, "schedule": interval}}


def test_the_worker_runs_what_was_put_before_and_after_its_start(started):
    ran: list[Nudge] = []
    nudges = Nudges()
    nudges.put(("before", ()))
    started(Worker(ran.append, nudges))
    nudges.put(("after", ("id",)))
    wait_for(lambda: ran == [("before", ()), ("after", ("id",))])


def test_a_backlog_of_nudges_does_not_hold_up_the_schedule(started):
    hold = threading.Event()
    nudges, swept = Nudges(), threading.Semaphore(0)
    nudges.put(("slow", ()))
    started(Worker(lambda _: bool(hold.wait(30)), nudges))
    started(Beat(lambda _: swept.release(), [Entry("sweep", (), 0.01)]))
    for _ in range(20):
        assert swept.acquire(timeout=30)
    hold.set()


def test_the_schedule_runs_everything_once_at_start(started):
    ran: list[str] = []
    started(Beat(lambda nudge: ran.append(nudge[0]), [Entry("nightly", (), 86400), Entry("sweep", (), 3600)]))
    wait_for(lambda: ran == ["sweep", "nightly"])


def test_an_entry_slower_than_its_interval_leaves_the_others_their_turn(started):
    swept = threading.Semaphore(0)
    pause = threading.Event()

    def run(nudge: Nudge) -> None:
        swept.release() if nudge[0] == "quick" else pause.wait(0.02)

    started(Beat(run, [Entry("slow", (), 0.001), Entry("quick", (), 0.002)]))
    for _ in range(10):
        assert swept.acquire(timeout=30)


def test_a_lane_started_twice_is_one_thread(started):
    beat = Beat(lambda _: None, [])
    started(beat)
    thread = beat._thread
    beat.start()
    assert beat._thread is thread


def test_a_lane_can_be_started_again_after_it_was_stopped(started):
    ran: list[Nudge] = []
    nudges = Nudges()
    worker = Worker(ran.append, nudges)
    started(worker)
    assert worker.stop(30)
    nudges.put(("a", ()))
    worker.start()
    wait_for(lambda: ran == [("a", ())])


def test_a_lane_that_hangs_does_not_hold_up_its_stop():
    hold, nudges = threading.Event(), Nudges()
    nudges.put(("hangs", ()))
    began = threading.Event()

    def run(_: Nudge) -> None:
        began.set()
        hold.wait(60)

    worker = Worker(run, nudges)
    worker.start()
    assert began.wait(30)
    assert not worker.stop(0.01)
    hold.set()
    assert worker.stop(30)


@pytest.mark.parametrize("interval", [5, 2.5, timedelta(seconds=5), schedule(run_every=5)])
def test_an_interval_may_be_seconds_or_a_timedelta(interval):
    assert [entry.job for entry in background.schedule_entries(one_line(interval))] == ["core.beat"]


@pytest.mark.parametrize("interval", [crontab(hour=3), 0, -1, "5"])
def test_a_calendar_or_impossible_interval_is_refused_at_start(interval):
    with pytest.raises(ImproperlyConfigured, match=r"'one'.*seconds"):
        background.schedule_entries(one_line(interval))


def test_a_schedule_for_a_job_nobody_wrote_is_refused_at_start():
    with pytest.raises(ImproperlyConfigured, match="no_such_job"):
        background.schedule_entries(one_line(5, task="rooms.no_such_job"))


def test_every_entry_of_the_real_schedule_names_a_job():
    entries = background.schedule_entries(current_app.conf.beat_schedule)
    ticks = [entry.arguments[0] for entry in entries if entry.job == "core.beat"]
    assert [name for name in ticks if name not in current_app.tasks] == []


def test_draining_repeats_a_step_until_it_finds_nothing():
    left = [100, 100, 7, 0]
    assert background.drain(lambda: left.pop(0)) == 207
