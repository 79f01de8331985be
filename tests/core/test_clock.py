"""The database's clock: aware, in UTC, read anew in every statement, and movable in tests only."""

from __future__ import annotations

import time
from datetime import UTC, datetime, timedelta, timezone

import pytest
from django.db import transaction

from agentroom.core.clock import db_now, rfc3339, shifted


@pytest.mark.django_db
def test_it_is_aware_and_near_the_machine_s_own():
    now = db_now()
    assert now.tzinfo is UTC
    assert abs(now - datetime.now(UTC)) < timedelta(minutes=1)


@pytest.mark.django_db(transaction=True)
def test_it_moves_on_within_one_transaction():
    with transaction.atomic():
        first, until = db_now(), time.monotonic() + 30
        while db_now() == first:
            assert time.monotonic() < until, "the clock stands still within a transaction"


@pytest.mark.django_db
def test_shifts_add_up_and_end_with_their_block():
    with shifted(timedelta(hours=1)), shifted(timedelta(hours=2)):
        assert db_now() - datetime.now(UTC) > timedelta(hours=2, minutes=59)
    assert db_now() - datetime.now(UTC) < timedelta(minutes=1)


@pytest.mark.django_db
def test_a_server_can_be_started_with_a_shift(settings):
    settings.CLOCK_OFFSET_SECONDS = -3600
    assert datetime.now(UTC) - db_now() > timedelta(minutes=59)


def test_times_on_the_wire_are_utc_with_milliseconds_and_a_z():
    instant = datetime(2026, 2, 3, 4, 5, 6, 789_123, tzinfo=timezone(timedelta(hours=2)))
    assert rfc3339(instant) == "2026-02-03T02:05:06.789Z"
