"""WebSocket connections at the edge: foreign hosts do not connect, and a frame over 64 KiB ends the socket."""

from __future__ import annotations

import asyncio
from typing import Any

import pytest

from agentroom.edge import SOCKET_FRAME_BYTES, Edge
from tests.runtime.asgi import scope


async def echo(scope, receive, send) -> None:
    while (message := await receive())["type"] != "websocket.disconnect":
        if message["type"] == "websocket.connect":
            await send({"type": "websocket.accept"})
        else:
            await send({"type": "websocket.send", "text": "got it"})


def talk(*frames: dict[str, Any], host: str = "localhost") -> list[dict[str, Any]]:
    incoming = [{"type": "websocket.connect"}, *({"type": "websocket.receive", **frame} for frame in frames)]
    sent: list[dict[str, Any]] = []

    async def receive() -> dict[str, Any]:
        return incoming.pop(0) if incoming else {"type": "websocket.disconnect", "code": 1000}

    async def send(message: dict[str, Any]) -> None:
        sent.append(message)

    asked = {**scope("/ws/", "GET", {"host": host}, ("127.0.0.1", 1)), "type": "websocket", "scheme": "ws"}
    asyncio.run(Edge(echo)(asked, receive, send))
    return sent


def test_a_foreign_host_is_closed_before_it_is_accepted():
    assert talk(host="evil.example") == [{"type": "websocket.close", "code": 1008}]


@pytest.mark.parametrize("frame", [{"text": "x" * SOCKET_FRAME_BYTES}, {"bytes": b"x" * SOCKET_FRAME_BYTES}])
def test_a_frame_of_exactly_the_limit_passes(frame):
    assert [message["type"] for message in talk(frame)] == ["websocket.accept", "websocket.send"]


@pytest.mark.parametrize(
    "frame", [{"text": "x" * (SOCKET_FRAME_BYTES + 1)}, {"bytes": b"x" * (SOCKET_FRAME_BYTES + 1)}]
)
def test_a_frame_over_the_limit_ends_the_socket(frame):
    assert talk(frame, {"text": "more"})[1:] == [{"type": "websocket.close", "code": 1009}]
