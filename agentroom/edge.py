"""The ASGI edge around everything: peers, Host, body caps, security headers, request id, access log.

`scope["facts"]` is a dict that travels inwards: what a door writes there stands in the access log.
"""

from __future__ import annotations

import asyncio
import json
import logging
import time
from collections.abc import Awaitable, Callable
from functools import lru_cache
from typing import Any

from django.conf import settings
from django.http.request import split_domain_port, validate_host

from agentroom.core import ids
from agentroom.core.caps import BodyTooLarge, BodyTooSlow, Receive, cap_for, capped, declared
from agentroom.core.errors import PublicError, TooLarge, Unavailable, Validation
from agentroom.core.failures import public_error
from agentroom.core.headers import ALWAYS
from agentroom.core.peers import TrustedPeers

Scope = dict[str, Any]
Message = dict[str, Any]
Send = Callable[[Message], Awaitable[None]]
Application = Callable[[Scope, Receive, Send], Awaitable[None]]

access = logging.getLogger("agentroom.access")
logger = logging.getLogger(__name__)

STANDING = [(name.lower().encode(), value.encode("latin-1")) for name, value in ALWAYS.items()]

SOCKET_FRAME_BYTES = 64 * 1024
# A refused body is read on for a moment, unkept, so that a client busy sending still sees its answer.
SPILL_BYTES = 4 * 1024 * 1024
SPILL_SECONDS = 2.0


class Edge:
    def __init__(self, application: Application) -> None:
        self._application = application
        self._peers = TrustedPeers(settings.AGENTROOM_TRUSTED_PROXIES)

    async def __call__(self, scope: Scope, receive: Receive, send: Send) -> None:
        if scope["type"] == "http":
            await self._http(dict(scope), receive, send)
        elif scope["type"] == "websocket":
            await self._websocket(dict(scope), receive, send)
        else:
            await self._application(scope, receive, send)

    async def _http(self, scope: Scope, receive: Receive, send: Send) -> None:
        self._peers.apply(scope)
        scope |= {"request_id": ids.request_id(), "facts": {}}
        answer = Answer(scope, send)
        try:
            await self._answer(scope, receive, answer)
        except BodyTooLarge:
            await answer.refuse(_too_large(scope), receive)
        except BodyTooSlow:
            await answer.refuse(Unavailable("The request body took too long to arrive. Send it again."), receive)
        except asyncio.CancelledError:  # the server ends and can wait no longer; this task ends here as well
            await answer.refuse(Unavailable("The server is restarting. Repeat the call, with the same key."), None)
        except Exception as error:
            logger.exception("request failed outside every door", extra={"request_id": scope["request_id"]})
            await answer.refuse(public_error(error), receive)
        finally:
            answer.log()

    async def _answer(self, scope: Scope, receive: Receive, answer: Answer) -> None:
        cap = cap_for(scope["path"])
        if cap is not None and declared(scope["headers"]) > cap:
            raise BodyTooLarge
        if not host_is_ours(scope):
            refusal = Validation("The Host header does not name this server. Use its configured address.")
            await answer.refuse(refusal, receive)
            return
        await self._application(scope, capped(receive, cap), answer.send)

    async def _websocket(self, scope: Scope, receive: Receive, send: Send) -> None:
        self._peers.apply(scope)
        scope |= {"request_id": ids.request_id(), "facts": {}}
        if not host_is_ours(scope):
            await receive()
            await send({"type": "websocket.close", "code": 1008})
            return

        async def bounded() -> Message:
            message = await receive()
            if _frame_bytes(message) > SOCKET_FRAME_BYTES:
                await send({"type": "websocket.close", "code": 1009})
                return {"type": "websocket.disconnect", "code": 1009}
            return message

        await self._application(scope, bounded, send)


class Answer:
    """The response on its way out: its headers completed, its status and size noted for the log."""

    def __init__(self, scope: Scope, send: Send) -> None:
        self._scope = scope
        self._send = send
        self._began = time.monotonic()
        self._status = 0
        self._bytes = 0

    async def send(self, message: Message) -> None:
        if message["type"] == "http.response.start":
            self._status = message["status"]
            message = {**message, "headers": self._complete(list(message.get("headers", ())))}
        elif message["type"] == "http.response.body":
            self._bytes += len(message.get("body", b""))
        await self._send(message)

    async def refuse(self, error: PublicError, receive: Receive | None) -> None:
        """Answer with an error and close, unless an answer is under way already: then only close."""
        if self._status:
            raise ConnectionAbortedError("the answer was cut short")
        body = json.dumps({"error": error.body(self._scope["request_id"], ids.error_id())}).encode()
        headers = [
            (b"content-type", b"application/json"),
            (b"content-length", str(len(body)).encode()),
            (b"connection", b"close"),
        ]
        if error.status == 503:
            headers.append((b"retry-after", b"2"))
        await self.send({"type": "http.response.start", "status": error.status, "headers": headers})
        await self.send({"type": "http.response.body", "body": body, "more_body": True})
        if receive is not None:
            await _spill(receive)
        await self.send({"type": "http.response.body", "body": b""})

    def log(self) -> None:
        facts = {
            "request_id": self._scope["request_id"],
            "method": self._scope["method"],
            "status": self._status,
            "bytes": self._bytes,
            "ms": round((time.monotonic() - self._began) * 1000, 1),
            "client": (self._scope.get("client") or ["-"])[0],
            **self._scope["facts"],
        }
        access.info("request", extra={"facts": facts})

    def _complete(self, headers: list[tuple[bytes, bytes]]) -> list[tuple[bytes, bytes]]:
        present = {name.lower() for name, _ in headers}
        headers += [header for header in STANDING if header[0] not in present]
        if b"x-request-id" not in present:
            headers.append((b"x-request-id", self._scope["request_id"].encode()))
        return headers


def host_is_ours(scope: Scope) -> bool:
    """Exactly one Host, and one of ours. Plain ASGI applications check nothing by themselves."""
    hosts = [value for name, value in scope["headers"] if name == b"host"]
    if len(hosts) != 1:
        return False
    return _names_us(hosts[0], tuple(settings.ALLOWED_HOSTS))


@lru_cache(maxsize=256)
def _names_us(host: bytes, allowed: tuple[str, ...]) -> bool:
    domain, _ = split_domain_port(host.decode("latin-1"))
    return bool(domain) and validate_host(domain, allowed)


def _frame_bytes(message: Message) -> int:
    return len((message.get("text") or "").encode()) + len(message.get("bytes") or b"")


def _too_large(scope: Scope) -> TooLarge:
    cap = cap_for(scope["path"])
    message = f"The request body is over {cap} bytes. Send less, or share a large file by upload."
    return TooLarge(message, limit=cap)


async def _spill(receive: Receive) -> None:
    seen = 0
    try:
        async with asyncio.timeout(SPILL_SECONDS):
            while seen < SPILL_BYTES:
                message = await receive()
                seen += len(message.get("body", b""))
                if message["type"] == "http.disconnect" or not message.get("more_body"):
                    return
    except TimeoutError:
        return
