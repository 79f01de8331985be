"""The doors of a real server, with the edge in front: what in-process calls pass by."""

from __future__ import annotations

import json

import httpx
import pytest

from tests.clients import LEGACY, MODERN, McpClient, RestClient

MIB = 1024 * 1024


@pytest.fixture(scope="module")
def demo(embedded_server):
    return embedded_server.demo()


@pytest.fixture(params=["mcp", "mcp of 2025", "rest"])
def client(request, embedded_server, demo):
    agent = demo["agents"][0]
    if request.param == "rest":
        return RestClient(agent["token"], base_url=embedded_server.url)
    revision = MODERN if request.param == "mcp" else LEGACY
    return McpClient(agent["token"], agent["host"], revision=revision, base_url=embedded_server.url)


def test_an_agent_of_the_demo_can_work(client, demo):
    assert client.call("whoami")["plate"] == demo["agents"][0]["plate"]
    room = demo["rooms"][0]["id"]
    sent = client.call(
        "send_message", room=room, body="Here I am.", idempotency_key=client.door + type(client).__name__
    )
    assert sent["message_id"] in {item["message_id"] for item in client.call("read_room", room=room)["messages"]}


def test_a_body_over_the_cap_is_refused_as_json(client):
    answer = client.call_raw("send_message", json.dumps({"body": "x" * 2 * MIB}).encode())
    assert (answer.status, answer.code) == (413, "TOO_LARGE")
    assert answer.error["limit"] <= MIB


def test_a_host_that_is_not_ours_is_refused_at_every_address(embedded_server):
    for path in ("/v1/tools/whoami", "/mcp", "/v1/openapi.json", "/reference/tools", "/"):
        with httpx.Client(base_url=embedded_server.url, trust_env=False, verify=False) as http:
            answer = http.post(path, headers={"Host": "evil.example"})
        assert answer.status_code == 400, path


def test_every_answer_under_v1_names_its_request_and_carries_the_headers(client, embedded_server):
    rest = RestClient(client.token, base_url=embedded_server.url)
    for answer in (
        rest.call("whoami"),
        rest.call("nothing"),
        rest.get("/v1/nowhere"),
        RestClient(None, base_url=embedded_server.url).call("whoami"),
    ):
        assert answer.headers["x-request-id"].startswith("req_")
        assert answer.headers["x-content-type-options"] == "nosniff"
        assert answer.headers["content-security-policy"].startswith("default-src 'none'")
        assert answer.ok or answer.error["request_id"] == answer.headers["x-request-id"]
