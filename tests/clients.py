"""The two doors of the agents, with one verb: `call(tool, **arguments)`. In this process, or on a live address.

In-process calls run on the thread of the test, inside its transaction, and run the on-commit callbacks after each
call as a real commit would. Waiting jobs are left for `background.run_waiting()`.
"""

from __future__ import annotations

import asyncio
import contextlib
import json
from collections.abc import Iterator
from concurrent.futures import Executor, Future
from dataclasses import dataclass, field
from typing import Any
from unittest.mock import patch
from urllib.parse import urlsplit

import httpx
from django.conf import settings
from django.db import transaction
from django.test import Client, TestCase

from agentroom.core import threads
from identity.operations.instances import forget_presence

MODERN = "2026-07-28"
LEGACY = "2025-11-25"


@dataclass(frozen=True)
class Answer:
    """What a door said. `data` is the tool's JSON on success; `error` the public error object on failure."""

    status: int
    data: dict[str, Any]
    headers: dict[str, str] = field(default_factory=dict)
    meta: dict[str, Any] = field(default_factory=dict)
    raw: bytes = b""

    @property
    def ok(self) -> bool:
        return "error" not in self.data

    @property
    def error(self) -> dict[str, Any]:
        return self.data.get("error", {})

    @property
    def code(self) -> str:
        return str(self.error.get("code", ""))

    def __getitem__(self, name: str) -> Any:
        assert self.ok, self.error
        return self.data[name]


class RestClient:
    """`POST /v1/tools/<tool>` and the resource aliases beside it."""

    door = "rest"

    def __init__(self, token: str | None, *, base_url: str = "") -> None:
        self.token = token
        self._wire = _Live(base_url) if base_url else _Views()

    def call(self, tool: str, /, **arguments: Any) -> Answer:
        return self.post(f"/v1/tools/{tool}", arguments)

    def call_raw(self, tool: str, body: bytes) -> Answer:
        """Send `body` as the arguments, byte for byte."""
        return self.request("POST", f"/v1/tools/{tool}", body)

    def get(self, path: str) -> Answer:
        return self.request("GET", path)

    def post(self, path: str, body: Any) -> Answer:
        return self.send("POST", path, body)

    def patch(self, path: str, body: Any) -> Answer:
        return self.send("PATCH", path, body)

    def send(self, method: str, path: str, body: Any) -> Answer:
        return self.request(method, path, json.dumps(body).encode() if body else b"")

    def request(self, method: str, path: str, body: bytes = b"", **headers: str) -> Answer:
        sent = {**_bearer(self.token), **headers}
        if body:
            sent.setdefault("Content-Type", "application/json")
        status, received, raw = self._wire.send(method, path, sent, body)
        return Answer(status, _object(raw), received, _meta_of(received), raw)


class McpClient:
    """`tools/call` at `/mcp` or `/mcp/<host>`, in either revision of the protocol."""

    door = "mcp"

    def __init__(
        self, token: str | None, host: str | None = None, *, revision: str = MODERN, base_url: str = ""
    ) -> None:
        self.token = token
        self.path = f"/mcp/{host}" if host and host != "generic" else "/mcp"
        self.revision = revision
        self._wire = _Live(base_url) if base_url else _Application()

    def call(self, tool: str, /, **arguments: Any) -> Answer:
        return self.call_raw(tool, json.dumps(arguments).encode())

    def call_raw(self, tool: str, body: bytes) -> Answer:
        """Send `body` as the arguments, byte for byte."""
        answer = self.rpc("tools/call", tool=tool, arguments=body)
        result = answer.data.get("result")
        return answer if result is None else _tool_answer(answer, result)

    def tools(self) -> list[dict[str, Any]]:
        """What `tools/list` shows this passport."""
        listed: list[dict[str, Any]] = self.rpc("tools/list").data["result"]["tools"]
        return listed

    def rpc(self, method: str, *, tool: str = "", arguments: bytes = b"") -> Answer:
        """One JSON-RPC request; `data` is the whole response object."""
        headers = {
            **_bearer(self.token),
            "Content-Type": "application/json",
            "Accept": "application/json, text/event-stream",
            "MCP-Protocol-Version": self.revision,
        }
        params: list[bytes] = []
        if self.revision == MODERN:
            headers["Mcp-Method"] = method
            if tool:
                headers["Mcp-Name"] = tool
            params.append(b'"_meta":' + json.dumps(_ENVELOPE).encode())
        if tool:
            params.append(b'"name":' + json.dumps(tool).encode() + b',"arguments":' + arguments)
        body = b'{"jsonrpc":"2.0","id":1,"method":"%s","params":{%s}}' % (method.encode(), b",".join(params))
        status, received, raw = self._wire.send("POST", self.path, headers, body)
        return Answer(status, _object(raw), received, {}, raw)


_ENVELOPE = {
    "io.modelcontextprotocol/protocolVersion": MODERN,
    "io.modelcontextprotocol/clientCapabilities": {},
    "io.modelcontextprotocol/clientInfo": {"name": "tests", "version": "1"},
}

Wired = tuple[int, dict[str, str], bytes]


def _tool_answer(answer: Answer, result: dict[str, Any]) -> Answer:
    """A tool's JSON stands in the text block and in `structuredContent`, and is the same (mcp.md, rule 0.6)."""
    data = result["structuredContent"]
    assert json.loads(result["content"][0]["text"]) == data, "text and structured content differ"
    assert bool(result.get("isError")) == ("error" in data), "isError does not match the body"
    status = data["error"]["status"] if "error" in data else answer.status
    return Answer(status, data, answer.headers, result.get("_meta", {}), answer.raw)


def _object(raw: bytes) -> dict[str, Any]:
    try:
        value = json.loads(raw) if raw else {}
    except ValueError:
        return {}
    return value if isinstance(value, dict) else {"items": value}


def _bearer(token: str | None) -> dict[str, str]:
    return {} if token is None else {"Authorization": f"Bearer {token}"}


def _meta_of(headers: dict[str, str]) -> dict[str, Any]:
    pending = headers.get("x-pending-mentions")
    return {} if pending is None else {"pending_mentions": int(pending)}


class _Live:
    """A server of its own, over the loopback. Nothing stays open between calls."""

    def __init__(self, base_url: str) -> None:
        self._base_url = base_url

    def send(self, method: str, path: str, headers: dict[str, str], body: bytes) -> Wired:
        with httpx.Client(base_url=self._base_url, trust_env=False, verify=False, timeout=30) as http:
            answer = http.request(method, path, headers=headers, content=body)
        return answer.status_code, _lower(answer.headers), answer.content


class _Views:
    """Django's views and middleware, on this thread."""

    def __init__(self) -> None:
        self._client = Client(raise_request_exception=False)

    def send(self, method: str, path: str, headers: dict[str, str], body: bytes) -> Wired:
        kind = headers.pop("Content-Type", "application/octet-stream")
        with committed():
            answer = self._client.generic(method, path, body, content_type=kind, headers=headers)
        return answer.status_code, _lower(answer.headers), answer.getvalue()


class _Application:
    """The whole ASGI application, with its pool's work done on this thread."""

    def send(self, method: str, path: str, headers: dict[str, str], body: bytes) -> Wired:
        from agentroom.asgi import application  # Django must be set up first

        base = urlsplit(settings.AGENTROOM_BASE_URL)
        given = {"Host": base.netloc, "Content-Length": str(len(body)), **headers}
        scope = {
            "type": "http",
            "asgi": {"version": "3.0"},
            "http_version": "1.1",
            "method": method,
            "scheme": base.scheme,
            "path": path,
            "raw_path": path.encode(),
            "query_string": b"",
            "root_path": "",
            "headers": [(name.lower().encode(), value.encode("latin-1")) for name, value in given.items()],
            "client": ("127.0.0.1", 50000),
            "server": (base.hostname, base.port),
        }
        with committed(), inline_pool():
            sent = asyncio.run(_exchange(application, scope, body))
        raw = b"".join(message.get("body", b"") for message in sent[1:])
        return sent[0]["status"], {name.decode(): value.decode("latin-1") for name, value in sent[0]["headers"]}, raw


async def _exchange(application: Any, scope: dict[str, Any], body: bytes) -> list[dict[str, Any]]:
    sent: list[dict[str, Any]] = []

    async def receive() -> dict[str, Any]:
        return {"type": "http.request", "body": body, "more_body": False}

    async def send(message: dict[str, Any]) -> None:
        sent.append(message)

    await application(scope, receive, send)
    return sent


def _lower(headers: Any) -> dict[str, str]:
    return {name.lower(): value for name, value in headers.items()}


@contextlib.contextmanager
def committed() -> Iterator[None]:
    """Run the on-commit callbacks of the block at its end, although the test's transaction never commits."""
    with TestCase.captureOnCommitCallbacks(execute=True):
        yield


@contextlib.contextmanager
def undone() -> Iterator[None]:
    """Take back all that the block changes, in the database and in what this process remembers of it.

    An operation inside it is as durable as in any test.
    """
    block = transaction.atomic()
    block._from_testcase = True  # type: ignore[attr-defined]
    with block:
        yield
        transaction.set_rollback(True)
    forget_presence()


@contextlib.contextmanager
def inline_pool() -> Iterator[None]:
    """Let the operation pool work on the thread that asks, where the test's transaction can be seen."""
    # The pool drops the connection after each call, and the test's transaction with it.
    with patch.object(threads, "POOL", _Inline()), patch.object(threads, "close_old_connections"):
        yield


class _Inline(Executor):
    def submit(self, function: Any, /, *args: Any, **kwargs: Any) -> Future[Any]:
        done: Future[Any] = Future()
        loop = asyncio.get_running_loop()
        # To the ORM this is the synchronous thread of the test: no loop runs while the function does.
        asyncio._set_running_loop(None)
        try:
            done.set_result(function(*args, **kwargs))
        except BaseException as error:
            done.set_exception(error)
        finally:
            asyncio._set_running_loop(loop)
        return done
