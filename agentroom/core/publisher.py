"""One long-lived loop on one thread that publishes hints to Redis, so that no request thread waits for it."""

from __future__ import annotations

import asyncio
import logging
import os
import threading
from typing import Any

from channels.layers import get_channel_layer

logger = logging.getLogger(__name__)

Message = dict[str, Any]

WAITING_MOST = 1000
SEND_SECONDS = 2.0


def hint_key(group: str, message: Message) -> tuple[str, str] | None:
    """What makes two messages one hint; None for a message without a seq, which is never merged."""
    if "seq" not in message:
        return None
    return group, str(message.get("kind", message["type"]))


def newer(message: Message, than: Message) -> bool:
    """By seq, not by arrival: two commits may publish in the opposite order of their seq."""
    return bool(message["seq"] >= than["seq"])


class Publisher:
    """A bounded, merging outbox in memory; started at the first hint, again in a forked child."""

    def __init__(self) -> None:
        self._lock = threading.Lock()
        self._waiting: dict[object, tuple[str, Message]] = {}
        self._loop: asyncio.AbstractEventLoop | None = None
        self._pid = 0
        self._draining = False
        self.dropped = 0

    def publish(self, group: str, message: Message) -> None:
        with self._lock:
            loop = self._running_loop()
            key: object = hint_key(group, message) or object()
            held = self._waiting.get(key)
            if held is None and len(self._waiting) >= WAITING_MOST:
                self.dropped += 1
                return
            if held is None or newer(message, held[1]):
                self._waiting[key] = (group, message)
            if not self._draining:
                self._draining = True
                asyncio.run_coroutine_threadsafe(self._drain(), loop)

    def close(self) -> None:
        """End the thread and its connections; for tests."""
        loop, self._loop = self._loop, None
        if loop is not None:
            loop.call_soon_threadsafe(loop.stop)
            self._thread.join()
            loop.close()

    def _running_loop(self) -> asyncio.AbstractEventLoop:
        if self._loop is None or self._pid != os.getpid():
            self._pid, self._draining = os.getpid(), False
            self._waiting.clear()
            self._loop = asyncio.new_event_loop()
            self._thread = threading.Thread(target=self._loop.run_forever, name="publisher", daemon=True)
            self._thread.start()
        return self._loop

    async def _drain(self) -> None:
        while (next_hint := self._take()) is not None:
            try:
                await asyncio.wait_for(get_channel_layer().group_send(*next_hint), SEND_SECONDS)
            except Exception as error:
                self._give_up(error)

    def _take(self) -> tuple[str, Message] | None:
        with self._lock:
            if not self._waiting:
                self._draining = False
                return None
            return self._waiting.pop(next(iter(self._waiting)))

    def _give_up(self, error: Exception) -> None:
        """Redis is away: what waits is dropped and counted; open pages catch up with their next heartbeat."""
        with self._lock:
            lost = len(self._waiting) + 1
            self._waiting.clear()
            self.dropped += lost
        logger.warning("%d hints dropped: Redis did not take them (%s)", lost, type(error).__name__)
