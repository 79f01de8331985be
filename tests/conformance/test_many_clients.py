"""Many clients at once that all count their requests from one: each hears only its own answers (CVE-2026-25536)."""

from __future__ import annotations

import asyncio
import json

import httpx2
import pytest

from tests.conformance.servers import make_agents
from tests.gateway.mcp.wire import BOTH, headers_of, legacy, modern
from tests.services.server import EmbeddedServer

pytestmark = pytest.mark.real_server

CLIENTS = 50
CALLS = 10


def test_fifty_clients_with_the_same_request_ids_hear_only_their_own_rooms(server: EmbeddedServer) -> None:
    agents = make_agents(server, CLIENTS, "-of-many")
    heard = asyncio.run(_talk(f"{server.url}/mcp", agents))
    for name, answers in heard.items():
        assert [answer["id"] for answer in answers] == list(range(CALLS))
        rooms = [[room["name"] for room in answer["result"]["structuredContent"]["rooms"]] for answer in answers]
        assert rooms == [[name]] * CALLS


async def _talk(address: str, agents: dict[str, str]) -> dict[str, list[dict]]:
    limits = httpx2.Limits(max_connections=CLIENTS)
    async with httpx2.AsyncClient(trust_env=False, limits=limits, timeout=60) as http:

        async def one(token: str) -> list[dict]:
            return [await _call(http, address, token, number) for number in range(CALLS)]

        answers = await asyncio.gather(*(one(token) for token in agents.values()))
    return dict(zip(agents, answers, strict=True))


async def _call(http: httpx2.AsyncClient, address: str, token: str, number: int) -> dict:
    build = modern if number % 2 else legacy
    body = build("tools/call", {"name": "list_rooms", "arguments": {}}, id=number)
    own = headers_of(body) if build is modern else {}
    headers = {"Authorization": f"Bearer {token}", "Accept": BOTH, "Content-Type": "application/json", **own}
    answer = await http.post(address, content=json.dumps(body), headers=headers)
    assert answer.status_code == 200, answer.text
    return answer.json()
