"""uvicorn in this process, with our own end: running calls get their answers, and nothing holds the exit for long."""

from __future__ import annotations

import logging
import os
import signal
import socket
import sys
import threading
import time
from collections.abc import Callable, Iterator
from contextlib import contextmanager
from types import FrameType
from typing import Any

import uvicorn
from django.conf import settings

from agentroom.core import background

# How long running calls may take to their answer, once the server was asked to end. Behind a proxy nobody waits
# for the terminal to come back.
CALLS_SECONDS = 3 if settings.EMBEDDED else 8
EXIT_SECONDS = CALLS_SECONDS + 0.9
PARENT_SECONDS = 0.5


class Server(uvicorn.Server):
    """Ends by itself after a signal: uvicorn would raise the signal again and skip what comes after serving."""

    def __init__(self, application: Callable[..., Any], on_started: Callable[[], None]) -> None:
        super().__init__(
            uvicorn.Config(
                application,
                log_config=None,
                access_log=False,
                server_header=False,
                proxy_headers=False,
                ws_max_size=64 * 1024,
                ws_per_message_deflate=False,
                timeout_graceful_shutdown=CALLS_SECONDS,
                lifespan="on",
            )
        )
        self._on_started = on_started

    async def startup(self, sockets: list[socket.socket] | None = None) -> None:
        await super().startup(sockets=sockets)
        if self.started:
            self._on_started()

    @contextmanager
    def capture_signals(self) -> Iterator[None]:
        # Also where SIGINT arrives ignored, as in a script's background.
        for number in (signal.SIGINT, signal.SIGTERM):
            signal.signal(number, self.handle_exit)
        yield

    def handle_exit(self, sig: int, frame: FrameType | None) -> None:
        if self.should_exit:
            self.force_exit = True
            return
        self.should_exit = True
        background.ask_to_stop()
        watchdog = threading.Timer(EXIT_SECONDS, leave)
        watchdog.daemon = True
        watchdog.start()

    def end_with_parent(self) -> None:
        """Under `make`: should make be killed with -9, the server would stay behind with the port."""
        parent = os.getppid()

        def watch() -> None:
            while os.getppid() == parent:
                time.sleep(PARENT_SECONDS)
            self.handle_exit(signal.SIGTERM, None)

        threading.Thread(target=watch, name="parent", daemon=True).start()


def leave() -> None:
    """End now. Python would otherwise join every pool thread, however long its call still takes."""
    logging.shutdown()
    sys.stdout.flush()
    sys.stderr.flush()
    os._exit(0)
