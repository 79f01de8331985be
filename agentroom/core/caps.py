"""How much of a request body is read, per path, and the receive channel that stops there."""

from __future__ import annotations

import re
from collections.abc import Awaitable, Callable
from typing import Any

Receive = Callable[[], Awaitable[dict[str, Any]]]

KIB = 1024
DEFAULT = 256 * KIB
LARGE = 1024 * KIB

# First match counts. None: the route enforces the exact size its signed address declares.
CAPS: tuple[tuple[re.Pattern[str], int | None], ...] = (
    (re.compile(r"/mcp(/|$)"), LARGE),
    (re.compile(r"/v1/(tools/write_file$|rooms/[^/]+/files(/|$))"), LARGE),
    (re.compile(r"/files/signed/"), None),
)


class BodyTooLarge(Exception):
    """The body went over its cap; whoever was reading it is stopped here."""


def cap_for(path: str) -> int | None:
    return next((cap for pattern, cap in CAPS if pattern.match(path)), DEFAULT)


def declared(headers: list[tuple[bytes, bytes]]) -> int:
    """The Content-Length; 0 where there is none or it is not a number (the server refuses that itself)."""
    value = next((value for name, value in headers if name == b"content-length"), b"0")
    return int(value) if value.isdigit() else 0


def capped(receive: Receive, cap: int) -> Receive:
    """A receive that counts what it hands on and raises `BodyTooLarge` instead of the first byte over."""
    seen = 0

    async def counting() -> dict[str, Any]:
        nonlocal seen
        message = await receive()
        seen += len(message.get("body", b""))
        if seen > cap:
            raise BodyTooLarge
        return message

    return counting
