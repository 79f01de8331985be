"""Faults that a real PostgreSQL makes, seen from outside a real server: a clear refusal each, and nothing half done."""

from __future__ import annotations

import threading
from collections.abc import Iterator
from contextlib import contextmanager
from typing import Any

import httpx
import psycopg
import pytest

from tests.clients import Answer, McpClient, RestClient
from tests.services.postgres import Postgres, create_database
from tests.services.processes import wait_for
from tests.services.server import EmbeddedServer

pytestmark = pytest.mark.real_server
TABLE = "rooms_message"
DOORS = ("mcp", "rest")


class House:
    """A server on a PostgreSQL of its own, which these tests may hurt, also in the middle of a write."""

    def __init__(self, postgres: Postgres, server: EmbeddedServer, database: str) -> None:
        self.postgres, self.server, self.database = postgres, server, database
        demo = server.demo()
        self.room, self.agent = demo["rooms"][0]["id"], demo["agents"][0]
        self.token = self.agent["token"]

    def client(self, door: str) -> McpClient | RestClient:
        if door == "rest":
            return RestClient(self.token, base_url=self.server.url)
        return McpClient(self.token, self.agent["host"], base_url=self.server.url)

    def say(self, door: str, **more: str) -> Answer:
        return self.client(door).call("send_message", room=self.room, body="Ahoy", **more)

    def sql(self, statement: str) -> list[Any]:
        with psycopg.connect(self.database, autocommit=True) as connection:
            found = connection.execute(statement)
            return found.fetchall() if found.description else []

    def said(self) -> int:
        return int(self.sql(f"SELECT count(*) FROM {TABLE}")[0][0])

    @contextmanager
    def writing_fails(self, body: str) -> Iterator[None]:
        """Meanwhile each new message runs `body` in the database, inside the transaction of its sender."""
        self.sql(
            "CREATE FUNCTION fault() RETURNS trigger LANGUAGE plpgsql AS "
            f"$$ BEGIN {body}; RETURN NEW; END $$; "
            f"CREATE TRIGGER fault BEFORE INSERT ON {TABLE} FOR EACH ROW EXECUTE FUNCTION fault()"
        )
        try:
            yield
        finally:
            self.sql(f"DROP TRIGGER fault ON {TABLE}; DROP FUNCTION fault()")


@pytest.fixture(scope="module")
def house() -> Iterator[House]:
    postgres = Postgres().start()
    database = create_database(postgres.url, "faults")
    server = EmbeddedServer(DATABASE_URL=database, AGENTROOM_STATEMENT_TIMEOUT_MS="2500", AGENTROOM_RATE_LIMITS="off")
    try:
        yield House(postgres, server.start(), database)
    finally:
        server.stop()
        postgres.stop()


RAISES = "RAISE EXCEPTION 'a secret of the inside' USING ERRCODE = '{}'"
FAULTS = {
    "the backend is killed": ("PERFORM pg_terminate_backend(pg_backend_pid()); PERFORM pg_sleep(5)", 503),
    "the statement takes too long": ("PERFORM pg_sleep(30)", 503),
    "a deadlock, whenever it is tried": (RAISES.format("deadlock_detected"), 503),
    "a serialization failure, whenever it is tried": (RAISES.format("serialization_failure"), 503),
    "a lock that is not to be had": (RAISES.format("lock_not_available"), 503),
    "too many connections": (RAISES.format("too_many_connections"), 503),
    "out of memory": (RAISES.format("out_of_memory"), 503),
    "the server shuts down": (RAISES.format("admin_shutdown"), 503),
    "the server may only be read": ("SET TRANSACTION READ ONLY; UPDATE rooms_room SET name = name", 503),
    "the disk is full": (RAISES.format("disk_full"), 507),
    "somebody was faster": (RAISES.format("unique_violation"), 409),
}


@pytest.mark.parametrize("door", DOORS)
@pytest.mark.parametrize("fault", FAULTS)
def test_a_write_that_the_database_does_not_serve_is_refused_clearly_and_leaves_nothing(house: House, door, fault):
    body, status = FAULTS[fault]
    before = house.said()
    with house.writing_fails(body):
        answer = house.say(door, idempotency_key=f"{fault} at {door}"[:128])
        assert house.client(door).call("list_rooms").ok, "reading goes on"
    assert answer.status == status
    assert answer.code == {503: "UNAVAILABLE", 507: "STORAGE_FULL", 409: "CONFLICT"}[status]
    assert answer.error["retryable"] is (status == 503)
    assert len(answer.error["message"]) > 40
    for inside in ("a secret", "psycopg", "rooms_", "PL/pgSQL", "Traceback"):
        assert inside not in answer.raw.decode()
    assert house.said() == before
    assert house.say(door, idempotency_key=f"{fault} at {door}"[:128]).ok, "the same call is served once it can be"


def test_a_transaction_that_paused_too_long_is_ended_and_the_caller_told_to_come_again(house: House):
    """The time-out is a millisecond, so it may take several calls until one pauses for as long."""
    refused: list[Answer] = []

    def one_was_refused() -> bool:
        answer = house.say("mcp")
        if not answer.ok:
            refused.append(answer)
        return bool(refused)

    with house.writing_fails("PERFORM set_config('idle_in_transaction_session_timeout', '1', true)"):
        wait_for(one_was_refused)
    assert (refused[0].status, refused[0].code) == (503, "UNAVAILABLE")
    assert house.say("mcp").ok


def test_a_deadlock_costs_its_victim_a_second_try_and_the_caller_nothing(house: House):
    """Another session holds what the write waits for, and then waits for the room that the write holds."""
    answers: list[Answer] = []
    with house.writing_fails("PERFORM pg_advisory_xact_lock(7)"), psycopg.connect(house.database) as other:
        other.execute("SET deadlock_timeout = '60s'")
        other.execute("SELECT pg_advisory_xact_lock(7)")
        writer = threading.Thread(target=lambda: answers.append(house.say("rest")))
        writer.start()
        waiting = (
            "SELECT count(*) FROM pg_stat_activity WHERE wait_event_type = 'Lock' AND datname = current_database()"
        )
        wait_for(lambda: house.sql(waiting)[0][0] == 1)
        other.execute("SELECT 1 FROM rooms_room WHERE id = %s FOR UPDATE", [house.room])
        other.commit()
        writer.join(60)
    assert [answer.status for answer in answers] == [200]
    assert "deadlock detected" in house.postgres.process.log()


@pytest.mark.parametrize("door", DOORS)
def test_backends_that_were_killed_while_idle_fail_nobody(house: House, door):
    others = "SELECT pg_terminate_backend(pid, 60000) FROM pg_stat_activity WHERE datname = current_database()"
    for _ in range(3):
        assert house.say(door).ok
        house.sql(f"{others} AND pid <> pg_backend_pid()")
    assert house.say(door).ok


def test_while_the_server_is_away_every_door_says_so_and_all_is_well_once_it_is_back(house: House):
    house.postgres.kill()
    for door in DOORS:
        answer = house.say(door)
        assert (answer.status, answer.code, answer.error["retryable"]) == (503, "UNAVAILABLE", True)
        assert answer.headers["retry-after"]
        assert "127.0.0.1" not in answer.raw.decode()
    paths = {"/": "text/html", "/v1/agent-token": "*/*", "/readyz": "*/*", "/healthz/deep": "*/*"}
    for path, kind in paths.items():
        method = "POST" if path.startswith("/v1") else "GET"
        headers = {"Accept": kind, "Authorization": f"Bearer {house.token}", "Cookie": f"agentroom={'a' * 32}"}
        shown = httpx.request(method, f"{house.server.url}{path}", headers=headers, trust_env=False, timeout=30)
        assert shown.status_code == 503, (path, shown.text)
    assert httpx.get(f"{house.server.url}/healthz", trust_env=False).status_code == 200
    house.postgres.start()
    for door in DOORS:
        wait_for(lambda door=door: house.say(door).ok)
