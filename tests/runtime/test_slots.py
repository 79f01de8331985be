"""A periodic job runs once in its slot, however many beats and web processes there are."""

from __future__ import annotations

import threading
from datetime import timedelta

import pytest
from django.db import connection

from agentroom.core.clock import shifted
from agentroom.core.jobs import beat
from agentroom.core.slots import ages, claim_slot, mark
from tests.runtime import test_later

pytestmark = pytest.mark.django_db(transaction=True)


def after(seconds: float):
    return shifted(timedelta(seconds=seconds))


def test_the_first_to_come_takes_the_slot_and_the_second_does_not():
    assert claim_slot("sweep", 5)
    assert not claim_slot("sweep", 5)


def test_the_next_slot_is_taken_again():
    claim_slot("sweep", 5)
    with after(5):
        assert claim_slot("sweep", 5)


def test_a_tick_a_little_early_is_still_the_next_tick():
    claim_slot("sweep", 5)
    with after(4.5):
        assert claim_slot("sweep", 5)


def test_a_web_process_steps_in_only_for_what_is_overdue():
    claim_slot("sweep", 5)
    with after(5):
        assert not claim_slot("sweep", 5, grace=2)
    with after(7):
        assert claim_slot("sweep", 5, grace=2)


def test_slots_of_different_jobs_are_independent():
    assert claim_slot("sweep", 5)
    assert claim_slot("notice", 5)


@pytest.mark.parametrize("taken_before", [False, True])
def test_of_many_at_the_same_moment_exactly_one_wins(taken_before):
    if taken_before:
        with after(-60):
            claim_slot("sweep", 5)
    barrier, won = threading.Barrier(8), []

    def contend() -> None:
        barrier.wait()
        try:
            won.append(claim_slot("sweep", 5))
        finally:
            connection.close()

    threads = [threading.Thread(target=contend) for _ in range(8)]
    for thread in threads:
        thread.start()
    for thread in threads:
        thread.join()
    assert sorted(won) == [False] * 7 + [True]


def test_ages_tell_how_long_ago_each_was_taken():
    claim_slot("sweep", 5)
    mark("worker")
    with after(60):
        assert {name: round(age, -1) for name, age in ages().items()} == {"sweep": 60, "worker": 60}


def test_a_beat_of_the_full_profile_runs_its_job_once_in_a_slot(settings):
    settings.EMBEDDED = False
    test_later.ran.clear()
    for _ in range(3):
        beat.apply(args=("tests.note", 5), throw=True)
    assert test_later.ran == [()]


def test_the_embedded_beat_asks_no_slot(settings):
    settings.EMBEDDED = True
    test_later.ran.clear()
    for _ in range(3):
        beat.apply(args=("tests.note", 5), throw=True)
    assert test_later.ran == [()] * 3
    assert ages() == {}
