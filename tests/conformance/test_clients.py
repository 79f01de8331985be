"""Official clients connect, list and call, in every revision they speak, under both servers (mcp.md 7.9)."""

from __future__ import annotations

import asyncio
import json
import subprocess
from typing import Any

import httpx2
import pytest
from mcp import Client
from mcp.client.streamable_http import streamable_http_client

from tests.conformance import suite
from tests.gateway.mcp.wire import legacy

pytestmark = pytest.mark.real_server

Measured = tuple[str, str]
NOWHERE = "0" * 26


def check(found: dict[str, Any], version: str) -> None:
    assert found["version"] == version
    assert "list_rooms" in found["tools"]
    good, bad = found["good"], found["bad"]
    assert json.loads(good["content"][0]["text"]) == good["structuredContent"]
    assert not good.get("isError")
    assert bad["isError"] is True
    assert bad["structuredContent"]["error"]["code"] == "NOT_FOUND"
    assert json.loads(bad["content"][0]["text"]) == bad["structuredContent"]


@pytest.mark.parametrize("mode", ["legacy", "auto", "2026-07-28"])
def test_the_python_client(measured: Measured, mode: str) -> None:
    address, token = measured

    async def talk() -> dict[str, Any]:
        headers = {"Authorization": f"Bearer {token}"}
        async with (
            httpx2.AsyncClient(headers=headers, trust_env=False) as http,
            Client(streamable_http_client(address, http_client=http), mode=mode) as client,
        ):
            tools = await client.list_tools()
            good = await client.call_tool("list_rooms", {})
            bad = await client.call_tool("read_room", {"room": NOWHERE})
            return {
                "version": client.protocol_version,
                "tools": [tool.name for tool in tools.tools],
                "good": good.model_dump(mode="json", by_alias=True),
                "bad": bad.model_dump(mode="json", by_alias=True),
            }

    check(asyncio.run(talk()), "2025-11-25" if mode == "legacy" else "2026-07-28")


@pytest.mark.parametrize(
    ("kind", "revision"), [("sdk", "2025-11-25"), ("client", "2025-11-25"), ("client", "2026-07-28")]
)
def test_the_typescript_clients(measured: Measured, kind: str, revision: str) -> None:
    done = subprocess.run(
        [suite.NODE / "node", suite.script("typescript.mjs"), kind, revision, *measured],
        env=suite.environment(),
        capture_output=True,
        text=True,
        timeout=120,
    )
    assert done.returncode == 0, done.stderr
    check(json.loads(done.stdout), revision)


@pytest.mark.parametrize("era", ["legacy", "modern"])
def test_the_inspector_finds_nothing_to_object_to_in_the_tools(measured: Measured, era: str) -> None:
    address, token = measured
    done = subprocess.run(
        [
            suite.NODE / "node",
            suite.installed() / "node_modules/@modelcontextprotocol/inspector/clients/launcher/build/index.js",
            "--cli",
            address,
            "--transport=http",
            f"--header=Authorization: Bearer {token}",
            f"--protocol-era={era}",
            "--method=tools/list",
            "--strict",
        ],
        env=suite.environment(),
        capture_output=True,
        text=True,
        timeout=120,
    )
    assert done.returncode == 0, done.stdout + done.stderr
    assert "list_rooms" in done.stdout


@pytest.mark.parametrize("revision", [None, "2025-03-26", "2025-06-18", "2025-11-25"])
def test_a_client_that_speaks_only_http(measured: Measured, revision: str | None) -> None:
    address, token = measured
    headers = {"Authorization": f"Bearer {token}", **({"MCP-Protocol-Version": revision} if revision else {})}
    with httpx2.Client(headers=headers, trust_env=False) as http:
        listed = http.post(address, json=legacy("tools/list")).json()["result"]["tools"]
        assert "list_rooms" in {tool["name"] for tool in listed}
        call = legacy("tools/call", {"name": "read_room", "arguments": {"room": NOWHERE}}, id="a")
        answer = http.post(address, json=call).json()
    assert (answer["id"], answer["result"]["isError"]) == ("a", True)
