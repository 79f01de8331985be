"""A receipt is kept for a day: until then a repeat gets the first answer, afterwards its key is a new one."""

from __future__ import annotations

from datetime import timedelta

import pytest
from django.db import connection

from agentroom.celery import EVERY
from agentroom.core.clock import shifted
from agentroom.core.errors import Conflict
from agentroom.core.limits import RECEIPT
from agentroom.core.models import IdempotentReceipt
from identity.actors import SystemActor
from identity.jobs import forget_all_receipts
from identity.operations import upkeep
from rooms.models import Message
from tests.clients import RestClient
from tests.factories import token_for

pytestmark = pytest.mark.django_db
SYSTEM = SystemActor()


@pytest.fixture
def send(cast):
    client = RestClient(token_for(cast.scout))
    return lambda key, body="Ahoy": client.call("send_message", room=cast.harbour.pk, body=body, idempotency_key=key)


def test_a_live_key_still_gets_the_first_answer_after_the_sweep(send):
    first = send("k")
    with shifted(RECEIPT - timedelta(minutes=1)):
        forget_all_receipts()
        assert send("k").data == first.data
        assert send("k", "Something else").code == Conflict.code
    assert Message.objects.count() == 1


def test_a_key_whose_time_is_over_is_new_again(send):
    first = send("k")
    with shifted(RECEIPT + timedelta(minutes=1)):
        forget_all_receipts()
        second = send("k", "Something else")
    assert second["message_id"] != first["message_id"]
    assert Message.objects.count() == 2


def test_a_receipt_is_as_old_as_the_database_says_whatever_the_clock_of_the_machine(send):
    with shifted(timedelta(days=-3)):
        send("old")
    send("new")
    forget_all_receipts()
    assert list(IdempotentReceipt.objects.values_list("key", flat=True)) == ["new"]


def test_many_go_in_bounded_steps_the_oldest_first(send, monkeypatch):
    monkeypatch.setattr(upkeep, "AT_ONCE", 2)
    for days in range(5):
        with shifted(timedelta(days=days)):
            send(f"k{days}")
    with shifted(timedelta(days=30)):
        assert upkeep.forget_receipts(SYSTEM).cleared == 2
        assert sorted(IdempotentReceipt.objects.values_list("key", flat=True)) == ["k2", "k3", "k4"]
        forget_all_receipts()
    assert not IdempotentReceipt.objects.exists()


def test_a_receipt_that_goes_between_two_statements_of_a_repeat_is_made_anew(send, monkeypatch):
    first = send("k")
    insert = IdempotentReceipt.objects.bulk_create

    def insert_and_lose(rows, **options):
        monkeypatch.undo()
        made = insert(rows, **options)
        IdempotentReceipt.objects.all().delete()
        return made

    monkeypatch.setattr(type(IdempotentReceipt.objects), "bulk_create", lambda self, *a, **o: insert_and_lose(*a, **o))
    second = send("k")
    assert second["message_id"] != first["message_id"]


def test_the_sweep_is_in_the_schedule_and_finds_its_rows_by_an_index():
    assert EVERY[forget_all_receipts.name] <= 3600
    old = IdempotentReceipt.objects.filter(created_at__lt="2020-01-01T00:00:00Z").order_by("created_at")
    with connection.cursor() as cursor:
        if connection.vendor == "postgresql":
            cursor.execute("SET LOCAL enable_seqscan = off")
    assert "receipt_by_age" in old.values_list("pk", flat=True)[: upkeep.AT_ONCE].explain()
