"""What a server must have to itself: its address, and in the embedded profile its data."""

from __future__ import annotations

import contextlib
import errno
import fcntl
import os
import socket
from pathlib import Path
from typing import IO

LOOPBACK = {"127.0.0.1": "::1", "::1": "127.0.0.1"}


class Taken(Exception):
    """Somebody else has it; the text says what to do."""


def sockets_for(host: str, port: int) -> list[socket.socket]:
    """Bound sockets, before anything else is started. Loopback is bound in both families: `localhost` is either."""
    bound = [_bind(host, port)]
    twin = LOOPBACK.get(host)
    if twin is not None:
        with contextlib.suppress(OSError):  # a machine may have only one of the two
            bound.append(_bind(twin, port))
    return bound


def lock(path: Path) -> IO[str]:
    """Hold `path` until the process ends, however it ends. The file says who holds it."""
    file = path.open("a+", encoding="ascii")
    try:
        fcntl.flock(file, fcntl.LOCK_EX | fcntl.LOCK_NB)
    except BlockingIOError:
        file.seek(0)
        holder = file.read().strip() or "unknown"
        file.close()
        raise Taken(
            f"Another server (process {holder}) is running on the data in {path.parent}. "
            "Stop it, or give this one its own folder: AGENTROOM_DATA=<folder>."
        ) from None
    file.truncate(0)
    file.write(str(os.getpid()))
    file.flush()
    return file


def _bind(host: str, port: int) -> socket.socket:
    family = socket.AF_INET6 if ":" in host else socket.AF_INET
    opened = socket.socket(family, socket.SOCK_STREAM)
    opened.setsockopt(socket.SOL_SOCKET, socket.SO_REUSEADDR, 1)
    if family == socket.AF_INET6:
        opened.setsockopt(socket.IPPROTO_IPV6, socket.IPV6_V6ONLY, 1)
    try:
        opened.bind((host, port))
    except OSError as error:
        opened.close()
        if error.errno == errno.EADDRINUSE:
            raise Taken(
                f"Port {port} on {host} is in use. Stop what uses it, or choose another: make run PORT={port + 1}."
            ) from None
        raise
    return opened
