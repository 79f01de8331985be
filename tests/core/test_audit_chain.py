"""Audit chains: gap-free, hash-linked, and any tampering shows where it begins."""

from __future__ import annotations

import threading
from typing import Any

import pytest
from django.db import connection, transaction

from agentroom.core.audit import SERVER, Act, append_server, chained, first_broken, hash_of
from agentroom.core.clock import db_now
from agentroom.core.digest import GENESIS
from agentroom.core.models import AuditChain, AuditRow
from identity.actors import HumanActor, SystemActor

pytestmark = pytest.mark.damages
ADA = HumanActor(owner_id="1", name="ada", handle="ada", request_id="req_1")


def act(number: int) -> Act:
    return Act(act="thing.move", record_kind="thing", record_id=str(number), before={"at": 0}, after={"at": number})


def append(*numbers: int) -> None:
    with transaction.atomic():
        append_server(ADA, *map(act, numbers))


@pytest.mark.django_db
def test_each_row_follows_the_one_before_it_from_the_very_first():
    append(1)
    append(2, 3)
    rows = list(AuditRow.objects.filter(chain=SERVER).order_by("seq"))
    assert [row.seq for row in rows] == [1, 2, 3]
    assert [row.previous_hash for row in rows] == [GENESIS, rows[0].hash, rows[1].hash]
    assert AuditChain.objects.get().head == rows[2].hash
    assert first_broken(SERVER) is None


@pytest.mark.django_db
def test_a_row_says_who_what_which_record_and_by_which_request():
    append(7)
    row = AuditRow.objects.get()
    assert (row.actor_kind, row.actor_key, row.act, row.record_kind, row.record_id, row.request_id) == (
        "human",
        "human:1",
        "thing.move",
        "thing",
        "7",
        "req_1",
    )
    assert (row.before, row.after) == ({"at": 0}, {"at": 7})


@pytest.mark.django_db
def test_nothing_to_say_adds_nothing():
    append()
    assert not AuditRow.objects.exists()
    assert not AuditChain.objects.exists()


@pytest.mark.django_db
def test_a_rolled_back_change_leaves_no_row_and_no_gap():
    append(1)
    with pytest.raises(ZeroDivisionError), transaction.atomic():
        append_server(ADA, act(2))
        raise ZeroDivisionError
    append(3)
    assert list(AuditRow.objects.order_by("seq").values_list("seq", "record_id")) == [(1, "1"), (2, "3")]
    assert first_broken(SERVER) is None


@pytest.mark.parametrize(
    ("field", "value"),
    [
        ("actor_key", "human:2"),
        ("act", "thing.stay"),
        ("record_id", "9"),
        ("before", {}),
        ("after", {"at": 4}),
        ("request_id", ""),
        ("previous_hash", GENESIS),
        ("hash", GENESIS),
    ],
)
@pytest.mark.django_db
def test_a_changed_member_shows(field: str, value: Any):
    """Made as a thief with the right to drop triggers would: the rows themselves are written anew."""
    rows = chained("room", 0, GENESIS, db_now(), ADA, map(act, range(1, 5)))
    setattr(rows[2], field, value)
    AuditRow.objects.bulk_create(rows)
    assert first_broken("room") == 3


@pytest.mark.parametrize("missing", [1, 2, 3])
@pytest.mark.django_db
def test_a_missing_row_shows(missing: int):
    rows = chained("room", 0, GENESIS, db_now(), ADA, map(act, range(1, 5)))
    AuditRow.objects.bulk_create(row for row in rows if row.seq != missing)
    assert first_broken("room") == missing


@pytest.mark.django_db
def test_a_forged_row_needs_every_later_row_forged_too():
    rows = chained("room", 0, GENESIS, db_now(), ADA, map(act, range(1, 5)))
    rows[1].act = "thing.stay"
    rows[1].hash = hash_of(rows[1])
    AuditRow.objects.bulk_create(rows)
    assert first_broken("room") == 3


@pytest.mark.django_db(transaction=True)
def test_writers_at_the_same_moment_make_one_chain():
    barrier, failures = threading.Barrier(4), []

    def write(number: int) -> None:
        try:
            barrier.wait()
            for step in range(5):
                append(number * 10 + step)
        except Exception as failure:
            failures.append(failure)
        finally:
            connection.close()

    threads = [threading.Thread(target=write, args=(number,)) for number in range(4)]
    for thread in threads:
        thread.start()
    for thread in threads:
        thread.join()
    assert not failures
    assert list(AuditRow.objects.order_by("seq").values_list("seq", flat=True)) == list(range(1, 21))
    assert first_broken(SERVER) is None


@pytest.mark.django_db
def test_an_operator_s_act_names_the_operator():
    with transaction.atomic():
        append_server(SystemActor(operator_id="42"), act(1))
        append_server(SystemActor(), act(2))
    assert list(AuditRow.objects.order_by("seq").values_list("actor_key", flat=True)) == ["operator:42", "system"]
