"""One HTTP request to the whole application, byte for byte, and what came back."""

from __future__ import annotations

import asyncio
import json
from collections.abc import Iterable
from dataclasses import dataclass
from typing import Any

from tests.clients import committed, inline_pool

MODERN = "2026-07-28"
BOTH = "application/json, text/event-stream"
META = {
    "io.modelcontextprotocol/protocolVersion": MODERN,
    "io.modelcontextprotocol/clientCapabilities": {},
    "io.modelcontextprotocol/clientInfo": {"name": "tests", "version": "1"},
}
Headers = dict[str, str]


@dataclass(frozen=True)
class Heard:
    status: int
    headers: Headers
    raw: bytes

    @property
    def json(self) -> Any:
        return json.loads(self.raw)

    @property
    def result(self) -> dict[str, Any]:
        assert "result" in self.json, self.json
        return self.json["result"]

    @property
    def rpc_code(self) -> int:
        return self.json["error"]["code"]


def legacy(method: str, params: Any = None, *, id: Any = 1) -> dict[str, Any]:
    """A request body of the handshake revisions."""
    body = {"jsonrpc": "2.0", "id": id, "method": method}
    return body if params is None else {**body, "params": params}


def modern(method: str, params: dict[str, Any] | None = None, *, id: Any = 1) -> dict[str, Any]:
    """A request body of the stateless revision."""
    return legacy(method, {"_meta": META, **(params or {})}, id=id)


def headers_of(body: dict[str, Any]) -> Headers:
    """The headers that belong to a body of the stateless revision."""
    params = body.get("params", {})
    name = params.get("name", params.get("uri"))
    mirrored = {} if name is None else {"Mcp-Name": name}
    return {"MCP-Protocol-Version": MODERN, "Mcp-Method": body["method"], **mirrored}


class Caller:
    """Sends to one path with one credential; `headers` replace the usual ones, and None leaves one out."""

    def __init__(self, token: str | None = None, path: str = "/mcp", host: str = "127.0.0.1:8000") -> None:
        usual = {"Host": host, "Content-Type": "application/json", "Accept": BOTH}
        self._usual = usual if token is None else {**usual, "Authorization": f"Bearer {token}"}
        self._path = path

    def ask(self, body: dict[str, Any], **headers: str | None) -> Heard:
        """A body in its own revision, with the headers that go with it."""
        is_modern = "_meta" in (body.get("params") or {})
        own = headers_of(body) if is_modern else {}
        return self.send(json.dumps(body).encode(), **{**own, **_named(headers)})

    def send(
        self,
        body: bytes | Iterable[bytes] = b"",
        *,
        method: str = "POST",
        path: str = "",
        query: str = "",
        more: Iterable[tuple[str, str]] = (),
        **headers: str | None,
    ) -> Heard:
        merged = {**self._usual, **_named(headers)}
        lines = [(name, value) for name, value in merged.items() if value is not None] + list(more)
        chunks = [body] if isinstance(body, bytes) else list(body)
        heard = self._exchange(method, path or self._path, query, lines, _parts(chunks))
        assert heard is not None, "nothing was answered"
        return heard

    def hang_up(self, start_of_body: bytes, **headers: str | None) -> Heard | None:
        """Send the beginning of a body and go away."""
        lines = [(name, value) for name, value in {**self._usual, **_named(headers)}.items() if value is not None]
        part = {"type": "http.request", "body": start_of_body, "more_body": True}
        return self._exchange("POST", self._path, "", lines, [part])

    @staticmethod
    def _exchange(*request: Any) -> Heard | None:
        with committed(), inline_pool():
            return asyncio.run(exchange(*request))


def _named(headers: dict[str, str | None]) -> dict[str, str | None]:
    """`content_type=` reads better in a test than a dict with a dash."""
    return {name.replace("_", "-").title(): value for name, value in headers.items()}


def _parts(chunks: list[bytes]) -> list[dict[str, Any]]:
    last = len(chunks) - 1
    return [{"type": "http.request", "body": chunk, "more_body": number < last} for number, chunk in enumerate(chunks)]


async def exchange(
    method: str, path: str, query: str, lines: list[tuple[str, str]], parts: list[dict[str, Any]]
) -> Heard | None:
    from agentroom.asgi import application

    scope = {
        "type": "http",
        "asgi": {"version": "3.0"},
        "http_version": "1.1",
        "method": method,
        "scheme": "http",
        "path": path,
        "raw_path": path.encode(),
        "root_path": "",
        "query_string": query.encode(),
        "headers": [(name.lower().encode("latin-1"), value.encode("latin-1")) for name, value in lines],
        "client": ("127.0.0.1", 1),
        "server": ("127.0.0.1", 8000),
    }
    arriving = iter(parts)
    sent: list[dict[str, Any]] = []

    async def receive() -> dict[str, Any]:
        return next(arriving, {"type": "http.disconnect"})

    async def send(message: dict[str, Any]) -> None:
        sent.append(message)

    await application(scope, receive, send)
    if not sent:
        return None
    start, *bodies = sent
    received = {name.decode().lower(): value.decode("latin-1") for name, value in start["headers"]}
    return Heard(start["status"], received, b"".join(part.get("body", b"") for part in bodies))
