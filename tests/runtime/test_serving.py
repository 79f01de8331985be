"""`manage.py serve`: one command that prepares, says where it is, and clearly says why when it cannot."""

from __future__ import annotations

import json
import socket

import httpx
import pytest

from tests.services.processes import free_port, wait_for
from tests.services.server import EmbeddedServer

pytestmark = pytest.mark.real_server


def test_it_says_where_it_is_and_serves_every_name_of_loopback(embedded_server):
    assert f"Agent Room is ready: {embedded_server.url}" in embedded_server.log()
    hosts = ["127.0.0.1", "localhost", "[::1]"]
    assert [_get(f"http://{host}:{embedded_server.port}/healthz").status_code for host in hosts] == [200] * 3


def test_a_port_in_use_is_named_with_what_to_do(tmp_path):
    with socket.socket() as holder:
        holder.bind(("127.0.0.1", free_port()))
        holder.listen()
        port = holder.getsockname()[1]
        with pytest.raises(RuntimeError, match=rf"Port {port} on 127\.0\.0\.1 is in use.*PORT={port + 1}"):
            EmbeddedServer(PORT=str(port)).manage("serve")


def test_a_second_server_on_the_same_data_is_told_who_has_it(embedded_server):
    holder = embedded_server.processes["serve"].pid
    with pytest.raises(RuntimeError, match=rf"Another server \(process {holder}\)"):
        EmbeddedServer(AGENTROOM_DATA=embedded_server.env["AGENTROOM_DATA"]).manage("serve")


def test_a_killed_server_starts_again_with_the_key_it_made_and_keeps_it_private(serve):
    server = serve()
    key = server.folder / "data" / "secret.key"
    before = key.read_text()
    server.processes["serve"].kill()
    server.restart()
    assert key.read_text() == before
    assert key.stat().st_mode & 0o777 == 0o600
    assert key.parent.stat().st_mode & 0o777 == 0o700


def test_management_commands_run_beside_the_server(embedded_server):
    embedded_server.manage("check")
    assert _get(f"{embedded_server.url}/readyz").status_code == 200


def test_a_key_in_an_address_is_in_no_log(serve):
    server = serve()
    for path in ("/mcp?key=canary-1", "/healthz?key=canary-2", "/invites/canary-3", "/nothing/canary-4?key=canary-5"):
        _get(server.url + path)
    _get(server.url + "/healthz", headers={"Host": "evil.example", "X-Forwarded-For": "canary-6"})
    log = server.folder / "data" / "agentroom.log"
    wait_for(lambda: log.read_text().count('"agentroom.access"') >= 5)
    server.processes["serve"].stop()
    assert "canary" not in log.read_text() + server.log()
    assert all(json.loads(line)["at"] for line in log.read_text().splitlines())


def test_the_lanes_run_while_it_serves(embedded_server):
    lanes = _get(f"{embedded_server.url}/healthz/deep").json()["lanes"]
    assert (lanes["worker"], lanes["beat"], lanes["failed"]) == (True, True, 0)


def _get(url: str, **options) -> httpx.Response:
    return httpx.get(url, trust_env=False, timeout=30, **options)
