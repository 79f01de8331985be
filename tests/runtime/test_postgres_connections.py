"""PostgreSQL restarted: calls fail while it is away, and none does once it is back, without restarting us."""

from __future__ import annotations

import threading
from typing import Any

import pytest
from django.conf import settings
from django.db import OperationalError
from django.db.utils import ConnectionHandler

from agentroom.settings import _postgres
from tests.services.postgres import create_database
from tests.services.processes import wait_for

THREADS = 8


class Pooled:
    """Connections through the product's own database settings, to a server that may be killed."""

    def __init__(self, url: str) -> None:
        database = {**_postgres(url), "TIME_ZONE": None, "ATOMIC_REQUESTS": False, "AUTOCOMMIT": True}
        self._alias = "throwaway"
        self._handler = ConnectionHandler({"default": database, self._alias: database})

    def ask(self) -> int:
        connection = self._handler[self._alias]
        try:
            with connection.cursor() as cursor:
                cursor.execute("SELECT 1")
                return int(cursor.fetchone()[0])
        finally:
            connection.close()

    def all_at_once(self) -> list[Any]:
        """One question from each of eight threads at the same moment: the answers, or what failed."""
        barrier, got = threading.Barrier(THREADS), []

        def one() -> None:
            barrier.wait()
            try:
                got.append(self.ask())
            except OperationalError as error:
                got.append(type(error))

        threads = [threading.Thread(target=one) for _ in range(THREADS)]
        for thread in threads:
            thread.start()
        for thread in threads:
            thread.join()
        return got

    def close(self) -> None:
        self._handler[self._alias].close_pool()


@pytest.fixture
def pooled(throwaway_postgres, django_db_blocker):
    with django_db_blocker.unblock():
        connections = Pooled(create_database(throwaway_postgres.url, "pooled"))
        yield connections
        connections.close()


def test_connections_left_by_a_restarted_server_fail_nobody(pooled, throwaway_postgres):
    assert pooled.all_at_once() == [1] * THREADS
    throwaway_postgres.kill()
    throwaway_postgres.start()
    assert pooled.all_at_once() == [1] * THREADS


def test_a_server_that_was_away_for_a_while_is_found_again(pooled, throwaway_postgres):
    pooled.all_at_once()
    throwaway_postgres.kill()
    assert pooled.all_at_once() == [OperationalError] * THREADS
    throwaway_postgres.start()
    wait_for(lambda: pooled.all_at_once() == [1] * THREADS)


def test_the_pool_has_room_for_every_thread_of_the_product():
    pool = _postgres("postgresql://localhost/x")["OPTIONS"]["pool"]
    assert pool["max_size"] >= settings.AGENTROOM_THREADS + settings.AGENTROOM_VIEW_THREADS
    assert pool["timeout"] == 2


def test_every_connection_has_the_limits_of_the_house(pooled):
    connection = pooled._handler["throwaway"]
    with connection.cursor() as cursor:
        limits = ["lock_timeout", "statement_timeout", "idle_in_transaction_session_timeout", "TimeZone"]
        values = []
        for name in limits:
            cursor.execute("SELECT current_setting(%s)", [name])
            values.append(cursor.fetchone()[0])
    connection.close()
    assert values == ["3s", "5s", "10s", "UTC"]


@pytest.mark.parametrize(
    ("url", "wanted"),
    [
        ("postgresql://ada:p%40ss@db:6543/room", {"USER": "ada", "PASSWORD": "p@ss", "HOST": "db", "PORT": "6543"}),
        ("postgres:///room?host=/run/postgresql", {"HOST": "/run/postgresql", "PORT": "", "NAME": "room"}),
        ("postgresql://db/room", {"USER": "", "HOST": "db", "NAME": "room"}),
    ],
)
def test_an_address_of_a_database_is_read_as_everybody_writes_it(url, wanted):
    database = _postgres(url)
    assert {name: database[name] for name in wanted} == wanted


def test_what_an_address_says_of_tls_reaches_the_connection():
    options = _postgres("postgresql://db/room?sslmode=verify-full&sslrootcert=/ca.pem")["OPTIONS"]
    assert (options["sslmode"], options["sslrootcert"]) == ("verify-full", "/ca.pem")
