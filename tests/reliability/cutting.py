"""A connection that is reset after so many bytes of the request, or of the answer."""

from __future__ import annotations

import contextlib
import socket
import struct
from dataclasses import dataclass
from typing import Any
from urllib.parse import urlsplit

from tests.clients import McpClient, RestClient, Wired

# On close: no farewell, a reset.
RESET = struct.pack("ii", 1, 0)


class WasCut(Exception):
    """The client never learned what came of its call."""


@dataclass
class Scissors:
    """Stands in for a client's wire. `sent` and `received` are parts of the whole from 0 to 1; None is uncut."""

    base_url: str
    sent: float | None = None
    received: float | None = None
    answer_bytes: int = 600

    def send(self, method: str, path: str, headers: dict[str, str], body: bytes) -> Wired:
        place = urlsplit(self.base_url)
        lines = [f"{method} {path} HTTP/1.1", f"Host: {place.netloc}", f"Content-Length: {len(body)}"]
        lines += [f"{name}: {value}" for name, value in headers.items()]
        whole = "\r\n".join([*lines, "", ""]).encode() + body
        with contextlib.closing(socket.create_connection((place.hostname, place.port), timeout=30)) as wire:
            wire.setsockopt(socket.SOL_SOCKET, socket.SO_LINGER, RESET)
            with contextlib.suppress(ConnectionError):
                wire.sendall(whole if self.sent is None else whole[: int(len(whole) * self.sent)])
                if self.received is not None:
                    _read(wire, int(self.answer_bytes * self.received))
        raise WasCut


def cut(client: McpClient | RestClient, tool: str, arguments: dict[str, Any], base_url: str, **where: Any) -> None:
    """Call the tool over a wire that is cut there."""
    whole, client._wire = client._wire, Scissors(base_url, **where)
    try:
        client.call(tool, **arguments)
    except WasCut:
        return
    finally:
        client._wire = whole
    raise AssertionError("the wire was not cut")


def _read(wire: socket.socket, wanted: int) -> None:
    while wanted > 0 and (got := wire.recv(wanted)):
        wanted -= len(got)
