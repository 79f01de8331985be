"""`later`: after the commit, never without one, and no broker can turn a committed write into an error."""

from __future__ import annotations

import pytest
from celery import current_app, shared_task
from django.db import transaction

from agentroom.core import background
from agentroom.core.models import Slot
from tests.services.processes import wait_for

ran: list[tuple[str, ...]] = []


@shared_task(name="tests.note")
def note(*ids: str) -> None:
    ran.append(ids)


@shared_task(name="tests.fails")
def fails() -> None:
    raise ValueError("the body of a message")


@pytest.fixture(autouse=True)
def nothing_waiting():
    ran.clear()
    background.forget_waiting()
    yield
    background.forget_waiting()


@pytest.mark.django_db(transaction=True)
def test_a_job_waits_for_the_commit():
    with transaction.atomic():
        background.later("tests.note", "id-1")
        assert background.run_waiting() == 0
    assert background.run_waiting() == 1
    assert ran == [("id-1",)]


@pytest.mark.django_db(transaction=True)
def test_a_rolled_back_change_runs_no_job():
    with pytest.raises(ZeroDivisionError), transaction.atomic():
        background.later("tests.note", "id-1")
        raise ZeroDivisionError
    assert background.run_waiting() == 0


@pytest.mark.django_db(transaction=True)
def test_the_same_job_for_the_same_row_waits_once():
    for _ in range(3):
        background.later("tests.note", "id-1")
    assert background.run_waiting() == 1


@pytest.mark.django_db(transaction=True)
def test_a_failing_job_is_counted_and_the_next_one_runs(caplog):
    failed = background.counted["failed"]
    background.later("tests.fails")
    background.later("tests.note", "id-2")
    assert background.run_waiting() == 2
    assert ran == [("id-2",)]
    assert background.counted["failed"] == failed + 1
    assert "job tests.fails failed" in caplog.text


@pytest.mark.django_db(transaction=True)
def test_a_broker_that_is_away_leaves_the_committed_write_and_the_caller_alone(settings, monkeypatch):
    settings.EMBEDDED = False
    monkeypatch.setattr(current_app, "send_task", _refuse)
    errors = background.counted["broker_errors"]
    try:
        with transaction.atomic():
            Slot.objects.create(name="kept", at="2026-01-01T00:00:00Z")
            background.later("tests.note", "id-1")
        wait_for(lambda: background.counted["broker_errors"] == errors + 1)
    finally:
        assert background.stop(30)
        background._worker = None
    assert Slot.objects.filter(name="kept").exists()


def _refuse(*arguments: object, **options: object) -> None:
    raise ConnectionError("no broker here")
