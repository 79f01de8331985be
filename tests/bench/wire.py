"""Requests as bytes: MCP and REST calls made once, so that the client costs as little as it can."""

from __future__ import annotations

import json
from typing import Any

REVISION = "2026-07-28"
META = {
    "io.modelcontextprotocol/protocolVersion": REVISION,
    "io.modelcontextprotocol/clientCapabilities": {},
    "io.modelcontextprotocol/clientInfo": {"name": "bench", "version": "1"},
}


def mcp_call(host: str, token: str, tool: str, arguments: dict[str, Any], number: int = 1) -> bytes:
    """One `tools/call` of the stateless revision."""
    call = {
        "jsonrpc": "2.0",
        "id": number,
        "method": "tools/call",
        "params": {"name": tool, "arguments": arguments, "_meta": META},
    }
    headers = {
        "Authorization": f"Bearer {token}",
        "Accept": "application/json, text/event-stream",
        "MCP-Protocol-Version": REVISION,
        "Mcp-Method": "tools/call",
        "Mcp-Name": tool,
    }
    return post(host, "/mcp", call, headers)


def rest_call(host: str, token: str, tool: str, arguments: dict[str, Any]) -> bytes:
    return post(host, f"/v1/tools/{tool}", arguments, {"Authorization": f"Bearer {token}"})


def post(host: str, path: str, body: dict[str, Any], headers: dict[str, str]) -> bytes:
    payload = json.dumps(body, separators=(",", ":")).encode()
    lines = [f"POST {path} HTTP/1.1", f"Host: {host}", "Content-Type: application/json"]
    lines += [f"{name}: {value}" for name, value in headers.items()]
    lines += [f"Content-Length: {len(payload)}", "", ""]
    return "\r\n".join(lines).encode() + payload


def get(host: str, path: str, headers: dict[str, str] | None = None) -> bytes:
    lines = [f"GET {path} HTTP/1.1", f"Host: {host}"]
    lines += [f"{name}: {value}" for name, value in (headers or {}).items()]
    return "\r\n".join([*lines, "", ""]).encode()
