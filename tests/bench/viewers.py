"""Row 13: how long a change takes to reach the last of many open pages."""

from __future__ import annotations

import asyncio
import json
import time
from typing import Any

import httpx
from websockets.asyncio.client import ClientConnection, connect

from tests.services.server import Server

CHANGES = 20
SOCKETS_OF_A_SESSION = 5


def frames(server: Server, stock: dict[str, Any]) -> dict[str, Any]:
    """Every session opens five pages of one room; then messages are sent, and the last frame of each is awaited."""
    return asyncio.run(_frames(server, stock))


async def _frames(server: Server, stock: dict[str, Any]) -> dict[str, Any]:
    room = stock["rooms"][0]
    sockets = [await _open(server, room, cookie) for cookie in stock["sessions"] for _ in range(SOCKETS_OF_A_SESSION)]
    async with httpx.AsyncClient(base_url=server.url, trust_env=False, timeout=30) as http:
        took = [await _change(http, stock, room, sockets) for _ in range(CHANGES)]
    for socket in sockets:
        await socket.close()
    ordered = sorted(took)
    return {
        "row": "13",
        "name": f"change to the last of {len(sockets)} frames",
        "p50_ms": round(1000 * ordered[len(ordered) // 2], 1),
        "p95_ms": round(1000 * ordered[int(0.95 * len(ordered))], 1),
    }


async def _open(server: Server, room: str, cookie: str) -> ClientConnection:
    headers = {"Cookie": cookie}
    async with httpx.AsyncClient(base_url=server.url, trust_env=False, timeout=30) as http:
        ticket = (await http.get(f"/rooms/{room}/ticket", headers=headers)).json()["ticket"]
    address = f"{server.url.replace('http', 'ws')}/ws/rooms/{room}?ticket={ticket}"
    socket = await connect(address, origin=server.url, additional_headers=headers, proxy=None)  # type: ignore[arg-type]
    await socket.recv()
    return socket


async def _change(http: httpx.AsyncClient, stock: dict[str, Any], room: str, sockets: list[ClientConnection]) -> float:
    """Seconds from the sending of a message to its hint at the last socket; raises when one is lost."""
    heard = [asyncio.ensure_future(_message(socket)) for socket in sockets]
    started = time.perf_counter()
    answer = await http.post(
        "/v1/tools/send_message",
        json={"room": room, "body": "Seen by everybody"},
        headers={"Authorization": f"Bearer {stock['agents'][0]['v1']}"},
    )
    answer.raise_for_status()
    await asyncio.wait_for(asyncio.gather(*heard), 30)
    return time.perf_counter() - started


async def _message(socket: ClientConnection) -> None:
    while json.loads(await socket.recv())["kind"] != "message":
        pass
