"""What the product costs while nobody works, and what it tells a client once."""

from __future__ import annotations

import json
import os
import time
from pathlib import Path
from typing import Any

import httpx

from tests.bench import wire
from tests.services.server import Server

WATCHED_SECONDS = 20.0


def tools_list(server: Server, stock: dict[str, Any]) -> dict[str, Any]:
    """Row 15: the bytes of `tools/list` for all scopes."""
    body = {"jsonrpc": "2.0", "id": 1, "method": "tools/list", "params": {"_meta": wire.META}}
    headers = {
        "Authorization": f"Bearer {stock['agents'][0]['mcp']}",
        "MCP-Protocol-Version": wire.REVISION,
        "Mcp-Method": "tools/list",
    }
    answer = httpx.post(f"{server.url}/mcp", json=body, headers=headers, trust_env=False, timeout=30)
    tools = json.dumps(answer.json()["result"]["tools"], ensure_ascii=False, separators=(",", ":"))
    return {"row": "15", "name": "tools/list", "bytes": len(tools.encode())}


def cost(server: Server) -> dict[str, Any]:
    """Section 6: memory and processor time of the embedded server at rest, and its first page after a start."""
    server.processes["serve"].stop()
    started = time.perf_counter()
    server.processes["serve"].start().wait_until(lambda: _has_page(server))
    first_page = time.perf_counter() - started
    time.sleep(5)
    pid, before, began = server.processes["serve"].pid, _processor_seconds(server), time.perf_counter()
    time.sleep(WATCHED_SECONDS)
    share = (_processor_seconds(server) - before) / (time.perf_counter() - began)
    return {
        "row": "6",
        "name": "embedded at rest",
        "first_page_s": round(first_page, 1),
        "rss_mb": round(_resident_bytes(pid) / 1e6),
        "percent_of_a_core": round(100 * share, 1),
    }


def _has_page(server: Server) -> bool:
    try:
        return httpx.get(f"{server.url}/accounts/login/", timeout=5, trust_env=False).status_code == 200
    except httpx.TransportError:
        return False


def _processor_seconds(server: Server) -> float:
    fields = Path(f"/proc/{server.processes['serve'].pid}/stat").read_text().rpartition(")")[2].split()
    return (int(fields[11]) + int(fields[12])) / os.sysconf("SC_CLK_TCK")


def _resident_bytes(pid: int) -> int:
    return int(Path(f"/proc/{pid}/statm").read_text().split()[1]) * os.sysconf("SC_PAGE_SIZE")
