"""The database gives up one of two transactions: the loser is run again, and there is one effect and one answer (T-05).

Real ones: another session takes what the write needs. PostgreSQL answers with 40001 or 40P01; SQLite lets it wait.
"""

from __future__ import annotations

import sqlite3
import threading
from concurrent.futures import ThreadPoolExecutor
from contextlib import closing
from typing import Any

import psycopg
import pytest
from django.db import connection, connections

from agentroom.core import operation as operations
from agentroom.core.models import IdempotentReceipt
from agentroom.gateway import dispatch
from rooms.models import Room
from tests.contract import rows
from tests.races.acts import ACTS, Arguments, Ground, keyed
from tests.races.crowd import nothing_is_broken
from tests.services.processes import wait_for

pytestmark = pytest.mark.django_db(transaction=True)
KEY, UNHARMED = "the-loser", "unharmed"


@pytest.fixture
def states(monkeypatch: pytest.MonkeyPatch) -> list[str | None]:
    """Which states the database gave an operation up with, as they come."""
    seen: list[str | None] = []
    read = operations._state_of

    def noted(error: Any) -> str | None:
        seen.append(read(error))
        return seen[-1]

    monkeypatch.setattr(operations, "_state_of", noted)
    return seen


@pytest.mark.parametrize("tool", keyed())
@pytest.mark.parametrize("fault", ["40001", "40P01"])
def test_the_loser_is_run_again_and_has_one_effect(cast, states, tool, fault):
    ground = Ground(cast)
    whole = _unharmed(ground, tool)
    arguments = ACTS[tool](ground) | {"idempotency_key": KEY}
    before = rows.counted()

    if connection.vendor == "sqlite":
        reply = _while_locked(ground, tool, arguments)
    else:
        reply = {"40001": _overtaken, "40P01": _deadlocked}[fault](ground, tool, arguments)

    assert reply.ok, reply.data
    assert states == ([] if connection.vendor == "sqlite" else [fault])
    assert rows.added(before) == whole
    assert ground.call(tool, arguments).text == reply.text
    assert rows.added(before) == whole
    assert nothing_is_broken()


def _overtaken(ground: Ground, tool: str, arguments: Arguments) -> dispatch.Reply:
    """The write has its snapshot and waits for the room; who holds the room changes it first."""
    with _session() as other, ThreadPoolExecutor(1) as writer:
        other.execute("UPDATE rooms_room SET name = name WHERE id = %s", [ground.room])
        answer = writer.submit(_in_a_thread, ground, tool, arguments, "repeatable read")
        _wait_for_a_lock()
        other.commit()
        return answer.result(60)


def _deadlocked(ground: Ground, tool: str, arguments: Arguments) -> dispatch.Reply:
    """The write has its receipt and waits for the room; who holds the room wants that very receipt."""
    with _session() as other, ThreadPoolExecutor(1) as writer:
        other.execute("SET deadlock_timeout = '60s'")
        other.execute("SELECT 1 FROM rooms_room WHERE id = %s FOR UPDATE", [ground.room])
        answer = writer.submit(_in_a_thread, ground, tool, arguments)
        _wait_for_a_lock()
        # A tool and its operation may differ in name. This waits until the write has been given up, and its receipt.
        operation = IdempotentReceipt.objects.get(key=UNHARMED).operation
        other.execute(
            f"INSERT INTO {IdempotentReceipt._meta.db_table} (actor_key, operation, key, digest, created_at) "
            "VALUES (%s, %s, %s, '', clock_timestamp())",
            [ground.actor.key, operation, KEY],
        )
        other.rollback()
        return answer.result(60)


def _while_locked(ground: Ground, tool: str, arguments: Arguments) -> dispatch.Reply:
    """Another process, say a management command, writes to the same file."""
    begun = threading.Event()
    path = connection.settings_dict["NAME"]
    with closing(sqlite3.connect(path, isolation_level=None)) as other, ThreadPoolExecutor(1) as writer:
        other.execute("BEGIN IMMEDIATE")
        answer = writer.submit(_in_a_thread, ground, tool, arguments, begun=begun)
        assert begun.wait(60)
        assert not answer.done()
        other.execute("UPDATE rooms_room SET name = name WHERE id = ?", [ground.room])
        other.execute("COMMIT")
        return answer.result(60)


def _in_a_thread(
    ground: Ground, tool: str, arguments: Arguments, isolation: str = "", begun: threading.Event | None = None
) -> dispatch.Reply:
    try:
        if isolation:
            with connection.cursor() as cursor:
                cursor.execute(f"SET default_transaction_isolation TO '{isolation}'")
        if begun is not None:
            assert Room.objects.filter(pk=ground.room).exists()
            begun.set()
        return ground.call(tool, arguments)
    finally:
        if isolation:
            connection.cursor().execute("RESET default_transaction_isolation")
        connections.close_all()


def _session() -> Any:
    parameters = connection.get_connection_params()
    wanted = {name: parameters[name] for name in ("dbname", "user", "host", "port") if parameters.get(name)}
    return psycopg.connect(**wanted)


def _wait_for_a_lock() -> None:
    def somebody_waits() -> bool:
        with connection.cursor() as cursor:
            cursor.execute(
                "SELECT count(*) FROM pg_stat_activity WHERE wait_event_type = 'Lock' AND datname = current_database()"
            )
            return bool(cursor.fetchone()[0])

    wait_for(somebody_waits)


def _unharmed(ground: Ground, tool: str) -> dict[str, int]:
    arguments = ACTS[tool](ground) | {"idempotency_key": UNHARMED}
    before = rows.counted()
    assert ground.call(tool, arguments).ok
    return rows.added(before)
