"""A bare ASGI conversation: what an application answers to one request, part by part."""

from __future__ import annotations

import asyncio
import json
from collections.abc import Iterable
from dataclasses import dataclass, field
from typing import Any


@dataclass
class Answer:
    status: int = 0
    headers: dict[str, str] = field(default_factory=dict)
    body: bytes = b""
    read: int = 0

    @property
    def error(self) -> dict[str, Any]:
        return json.loads(self.body)["error"]


def ask(
    application: Any,
    path: str = "/",
    *,
    method: str = "POST",
    parts: Iterable[bytes] = (b"",),
    headers: dict[str, str] | None = None,
    client: tuple[str, int] | None = ("127.0.0.1", 5000),
) -> Answer:
    """Send a request whose body comes in `parts`; `read` counts the bytes the application took of it."""
    return asyncio.run(_ask(application, path, method, list(parts), headers or {}, client))


async def _ask(application, path, method, parts, headers, client) -> Answer:
    answer = Answer()
    waiting = list(parts)

    async def receive() -> dict[str, Any]:
        if not waiting:
            return {"type": "http.disconnect"}
        part = waiting.pop(0)
        answer.read += len(part)
        return {"type": "http.request", "body": part, "more_body": bool(waiting)}

    async def send(message: dict[str, Any]) -> None:
        if message["type"] == "http.response.start":
            answer.status = message["status"]
            answer.headers = {name.decode(): value.decode() for name, value in message["headers"]}
        else:
            answer.body += message.get("body", b"")

    await application(scope(path, method, headers, client), receive, send)
    return answer


def scope(path: str, method: str, headers: dict[str, str], client: tuple[str, int] | None) -> dict[str, Any]:
    named = {"host": "localhost", **headers}
    return {
        "type": "http",
        "method": method,
        "path": path,
        "query_string": b"",
        "scheme": "http",
        "headers": [(name.lower().encode(), value.encode("latin-1")) for name, value in named.items()],
        "client": client,
    }
