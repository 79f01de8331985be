"""The edge: bodies are refused as they are read, foreign hosts before anything, and no header is missing."""

from __future__ import annotations

import asyncio
from typing import Any

import pytest

from agentroom.core import caps
from agentroom.edge import Edge
from tests.runtime.asgi import ask

KIB = 1024
MANDATORY = {
    "content-security-policy",
    "x-content-type-options",
    "referrer-policy",
    "cross-origin-opener-policy",
    "cross-origin-resource-policy",
    "x-frame-options",
    "x-request-id",
}


async def reads_all(scope, receive, send) -> None:
    size = 0
    while True:
        message = await receive()
        size += len(message.get("body", b""))
        if not message.get("more_body"):
            break
    await answer(send, str(size).encode())


async def answer(send, body: bytes) -> None:
    await send({"type": "http.response.start", "status": 200, "headers": [(b"content-type", b"text/plain")]})
    await send({"type": "http.response.body", "body": body})


def endless(part: int = 64 * KIB):
    return [b"x" * part] * 2000


@pytest.mark.parametrize(
    ("path", "cap"),
    [
        ("/", 256 * KIB),
        ("/v1/tools/send_message", 256 * KIB),
        ("/mcpx", 256 * KIB),
        ("/mcp", 1024 * KIB),
        ("/mcp/claude", 1024 * KIB),
        ("/v1/tools/write_file", 1024 * KIB),
        ("/v1/rooms/01J/files", 1024 * KIB),
    ],
)
def test_a_body_of_exactly_its_cap_passes_and_one_byte_more_does_not(path, cap):
    assert ask(Edge(reads_all), path, parts=[b"x" * cap]).body == str(cap).encode()
    refused = ask(Edge(reads_all), path, parts=[b"x" * cap, b"x"])
    assert (refused.status, refused.error["code"], refused.error["limit"]) == (413, "TOO_LARGE", cap)


def test_a_declared_size_over_the_cap_is_refused_before_the_application_runs():
    async def must_not_run(scope, receive, send) -> None:
        raise AssertionError("the application ran")

    refused = ask(Edge(must_not_run), headers={"content-length": str(300 * KIB)})
    assert refused.status == 413


def test_an_endless_body_is_not_read_to_its_end():
    refused = ask(Edge(reads_all), parts=endless())
    assert refused.status == 413
    assert refused.headers["connection"] == "close"
    assert refused.read < 8 * 1024 * KIB


def test_an_application_that_answers_before_the_cap_is_reached_keeps_its_answer():
    async def answers_first(scope, receive, send) -> None:
        await answer(send, b"early")
        while (await receive()).get("more_body"):
            pass

    with pytest.raises(ConnectionAbortedError):
        ask(Edge(answers_first), parts=endless())


def test_a_body_that_never_ends_in_time_is_given_up(monkeypatch):
    monkeypatch.setattr(caps, "BODY_SECONDS", 0)

    async def stalled() -> dict[str, Any]:
        await asyncio.sleep(3600)
        raise AssertionError("never reached")

    async def scenario() -> None:
        await caps.capped(stalled, 10)()

    with pytest.raises(caps.BodyTooSlow):
        asyncio.run(scenario())


def test_waiting_for_a_client_to_leave_has_no_deadline(monkeypatch):
    monkeypatch.setattr(caps, "BODY_SECONDS", 0.01)
    messages = [{"type": "http.request", "body": b"", "more_body": False}, {"type": "http.disconnect"}]

    async def receive() -> dict[str, Any]:
        if len(messages) == 1:
            await asyncio.sleep(0.05)
        return messages.pop(0)

    async def scenario() -> list[str]:
        bounded = caps.capped(receive, 10)
        return [(await bounded())["type"] for _ in range(2)]

    assert asyncio.run(scenario()) == ["http.request", "http.disconnect"]


@pytest.mark.parametrize("host", ["evil.example", "localhost.evil.example", "", "127.0.0.1.evil", "a b"])
def test_a_foreign_host_is_refused_on_every_path(host):
    refused = ask(Edge(reads_all), "/mcp", headers={"host": host})
    assert (refused.status, refused.error["code"]) == (400, "VALIDATION")


@pytest.mark.parametrize("host", ["localhost", "127.0.0.1:8000", "[::1]:8000", "LOCALHOST"])
def test_each_name_of_loopback_is_ours(host):
    assert ask(Edge(reads_all), headers={"host": host}).status == 200


def test_every_kind_of_answer_carries_the_security_headers():
    async def breaks(scope, receive, send) -> None:
        raise ValueError("a secret")

    for application, headers in ((reads_all, {}), (breaks, {}), (reads_all, {"host": "evil.example"})):
        got = ask(Edge(application), headers=headers)
        assert set(got.headers) >= MANDATORY
        assert "default-src 'none'" in got.headers["content-security-policy"]


def test_an_application_that_breaks_gives_an_error_with_an_id_and_no_detail():
    async def breaks(scope, receive, send) -> None:
        raise ValueError("a secret")

    got = ask(Edge(breaks))
    assert (got.status, got.error["code"]) == (500, "INTERNAL")
    assert got.error["error_id"].startswith("err_")
    assert b"secret" not in got.body


def test_headers_an_application_sets_itself_are_kept():
    async def own(scope, receive, send) -> None:
        headers = [(b"Content-Security-Policy", b"sandbox")]
        await send({"type": "http.response.start", "status": 200, "headers": headers})
        await send({"type": "http.response.body", "body": b""})

    got = ask(Edge(own))
    assert got.headers["Content-Security-Policy"] == "sandbox"
    assert "content-security-policy" not in got.headers


def test_the_request_id_answered_is_the_one_the_application_sees():
    async def tells(scope, receive, send) -> None:
        await answer(send, scope["request_id"].encode())

    got = ask(Edge(tells))
    assert got.headers["x-request-id"] == got.body.decode()


def test_what_a_door_notes_stands_in_the_access_log(caplog):
    async def notes(scope, receive, send) -> None:
        inner = dict(scope)  # routers hand on copies
        inner["facts"]["actor"] = "agent:BRNL-AGT-1"
        await answer(send, b"")

    with caplog.at_level("INFO", logger="agentroom.access"):
        ask(Edge(notes))
    assert caplog.records[-1].facts["actor"] == "agent:BRNL-AGT-1"
    assert caplog.records[-1].facts["status"] == 200
