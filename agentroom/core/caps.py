"""How much of a request body is read, for how long, and the receive channel that stops there."""

from __future__ import annotations

import asyncio
import re
from collections.abc import Awaitable, Callable
from typing import Any

Receive = Callable[[], Awaitable[dict[str, Any]]]

KIB = 1024
DEFAULT = 256 * KIB
LARGE = 1024 * KIB

BODY_SECONDS = 60
UPLOAD_SECONDS = 600

# First match counts. None: the route enforces the exact size its signed address declares.
CAPS: tuple[tuple[re.Pattern[str], int | None], ...] = (
    (re.compile(r"/mcp(/|$)"), LARGE),
    (re.compile(r"/v1/(tools/write_file$|rooms/[^/]+/files(/|$))"), LARGE),
    (re.compile(r"/files/signed/"), None),
)


class BodyTooLarge(Exception):
    """The body went over its cap; whoever was reading it is stopped here."""


class BodyTooSlow(Exception):
    """The body was not complete in time."""


def cap_for(path: str) -> int | None:
    return next((cap for pattern, cap in CAPS if pattern.match(path)), DEFAULT)


def declared(headers: list[tuple[bytes, bytes]]) -> int:
    """The Content-Length; 0 where there is none or it is not a number (the server refuses that itself)."""
    value = next((value for name, value in headers if name == b"content-length"), b"0")
    return int(value) if value.isdigit() else 0


def capped(receive: Receive, cap: int | None) -> Receive:
    """A receive that stops a body at its first byte over `cap`, and one that trickles at its last second.

    A proxy's time-outs are between two reads; only a whole body's deadline ends a byte every ten seconds.
    """
    until = asyncio.get_running_loop().time() + (UPLOAD_SECONDS if cap is None else BODY_SECONDS)
    seen, whole = 0, False

    async def counting() -> dict[str, Any]:
        nonlocal seen, whole
        if whole:  # what may still come is the client going away, however late
            return await receive()
        try:
            async with asyncio.timeout_at(until):
                message = await receive()
        except TimeoutError:
            raise BodyTooSlow from None
        seen += len(message.get("body", b""))
        if cap is not None and seen > cap:
            raise BodyTooLarge
        whole = not message.get("more_body", False)
        return message

    return counting
