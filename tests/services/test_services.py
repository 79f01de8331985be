"""The throw-away servers do what the tests rely on."""

from __future__ import annotations

import os
import socket
import sys

import psycopg
import pytest
import redis
from django.db import connection

from tests.services.postgres import create_database, drop_database
from tests.services.processes import NotStarted, Process, free_port, wait_for


@pytest.mark.django_db
def test_the_suite_runs_on_the_database_it_was_asked_for():
    asked = os.environ.get("AGENTROOM_TEST_DB") or "postgres"
    assert connection.vendor == {"postgres": "postgresql", "sqlite": "sqlite"}[asked]


def test_postgres_speaks_utf_8_and_utc_and_keeps_what_it_acknowledged(database_server):
    with psycopg.connect(database_server) as server:
        shown = {
            name: server.execute(f"SHOW {name}").fetchone()[0]
            for name in ("server_encoding", "TimeZone", "fsync", "synchronous_commit")
        }
        assert server.info.server_version >= 150000
    assert shown == {"server_encoding": "UTF8", "TimeZone": "UTC", "fsync": "on", "synchronous_commit": "on"}


def test_a_database_can_be_made_and_dropped_with_a_client_still_in_it(database_server):
    address = create_database(database_server, "agentroom_made_here")
    left_open = psycopg.connect(address)
    drop_database(database_server, "agentroom_made_here")
    with pytest.raises(psycopg.OperationalError):
        left_open.execute("SELECT 1")
    left_open.close()


def test_postgres_comes_back_after_kill_9_with_what_it_had(throwaway_postgres):
    with psycopg.connect(throwaway_postgres.url, autocommit=True) as server:
        server.execute("CREATE TABLE kept (id int)")
        server.execute("INSERT INTO kept VALUES (7)")
    throwaway_postgres.kill()
    throwaway_postgres.start()
    with psycopg.connect(throwaway_postgres.url) as server:
        assert server.execute("SELECT id FROM kept").fetchall() == [(7,)]


def test_redis_comes_back_after_kill_9_empty(throwaway_redis):
    with redis.Redis.from_url(throwaway_redis.url) as client:
        client.set("key", "value")
    throwaway_redis.kill()
    throwaway_redis.start()
    with redis.Redis.from_url(throwaway_redis.url) as client:
        assert client.get("key") is None


def test_nginx_serves_the_block_it_is_given(nginx):
    server = nginx("server { listen 127.0.0.1:{port}; location / { return 204; } }")
    with socket.create_connection(("127.0.0.1", server.port), timeout=5) as client:
        client.sendall(b"GET / HTTP/1.0\r\n\r\n")
        assert b" 204 " in client.recv(4096)


def test_a_server_that_ends_while_starting_says_why_at_once(tmp_path):
    process = Process("broken", [sys.executable, "-c", "raise SystemExit('no config')"], log=tmp_path / "log")
    with pytest.raises(NotStarted, match="no config"):
        process.start().wait_until(lambda: False)


def test_a_stopped_server_takes_what_it_started_with_it(tmp_path):
    port = free_port()
    child = f"import socket,time; s=socket.create_server(('127.0.0.1',{port})); time.sleep(600)"
    parent = f"import subprocess,sys,time; subprocess.Popen([sys.executable,'-c',{child!r}]); time.sleep(600)"
    process = Process("parent", [sys.executable, "-c", parent], log=tmp_path / "log")
    process.start().wait_until(lambda: _listens(port))
    process.kill()
    wait_for(lambda: not _listens(port))


@pytest.mark.browser
def test_chromium_renders_a_page(browser_page):
    browser_page.set_content("<title>Room</title><p id=here>ready</p>")
    assert browser_page.title() == "Room"
    assert browser_page.locator("#here").inner_text() == "ready"


def _listens(port: int) -> bool:
    with socket.socket() as probe:
        return probe.connect_ex(("127.0.0.1", port)) == 0
