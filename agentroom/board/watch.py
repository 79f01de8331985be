"""The open pages of this process: one subscription for all of them, one look at the database for each hint.

A socket is told only "room R is at seq N, something of this kind changed"; the page pulls the rest. Before anything
is sent, one look asks for every watcher whether the session still lives and the person still belongs (reliability
F7, TM-stream). The same look, every few seconds, finds what a lost hint would have said and closes what must end.
"""

from __future__ import annotations

import asyncio
import logging
from collections import defaultdict
from itertools import count
from typing import Any, Protocol
from weakref import WeakKeyDictionary

from channels.layers import get_channel_layer

from agentroom.board.standing import Place, Standings, standings
from agentroom.core.events import room_group
from agentroom.core.threads import in_pool

logger = logging.getLogger(__name__)

# A removal closes the socket within 5 s, and a page notices silence within 15 s: both follow from this.
TICK_SECONDS = 4.0
JOIN_TICKS = 6
RETRY_SECONDS = 1.0
BEAT = "beat"


class Watcher(Protocol):
    """What a socket gives: its place, and two ways to be told."""

    place: Place

    def offer(self, kind: str, seq: int) -> None: ...
    def dismiss(self, place_is_lost: bool) -> None: ...


class Watch:
    def __init__(self) -> None:
        self._watchers: dict[str, set[Watcher]] = defaultdict(set)
        self._hints: dict[str, dict[str, int]] = defaultdict(dict)
        self._news = asyncio.Event()
        self._channel = ""
        self._tasks: list[asyncio.Task[None]] = []

    async def add(self, watcher: Watcher) -> None:
        room_id = watcher.place.room_id
        self._watchers[room_id].add(watcher)
        if not self._tasks:
            self._tasks = [asyncio.create_task(step()) for step in (self._listen, self._deliver, self._tick)]
        else:
            await self._join(room_id)

    async def remove(self, watcher: Watcher) -> None:
        room_id = watcher.place.room_id
        self._watchers[room_id].discard(watcher)
        if self._watchers[room_id]:
            return
        del self._watchers[room_id]
        self._hints.pop(room_id, None)
        await self._leave(room_id)
        if not self._watchers:
            await self._end()

    def of_session(self, session_key: str) -> int:
        """How many sockets this session has open here."""
        return sum(watcher.place.session_key == session_key for room in self._watchers.values() for watcher in room)

    async def _listen(self) -> None:
        """Take hints for ever; a layer that is away is joined again, and the tick covers the gap."""
        layer = get_channel_layer()
        while True:
            try:
                self._channel = await layer.new_channel()
                for room_id in list(self._watchers):
                    await self._join(room_id)
                while True:
                    self._note(await layer.receive(self._channel))
            except asyncio.CancelledError:
                raise
            except Exception as error:
                logger.warning("the channel layer is away (%s); open pages go by the tick", type(error).__name__)
                self._channel = ""
                await asyncio.sleep(RETRY_SECONDS)

    def _note(self, message: dict[str, Any]) -> None:
        hints = self._hints[message["room_id"]]
        hints[message["kind"]] = max(message["seq"], hints.get(message["kind"], 0))
        self._news.set()

    async def _deliver(self) -> None:
        while True:
            await self._news.wait()
            self._news.clear()
            hints, self._hints = self._hints, defaultdict(dict)
            await self._tell(hints)

    async def _tick(self) -> None:
        for number in count(1):
            await asyncio.sleep(TICK_SECONDS)
            await self._tell({room_id: {} for room_id in list(self._watchers)}, beat=True)
            if number % JOIN_TICKS == 0:  # a Redis that was flushed or restarted knows nobody any more
                for room_id in list(self._watchers):
                    await self._join(room_id)

    async def _tell(self, hints: dict[str, dict[str, int]], *, beat: bool = False) -> None:
        watchers = [watcher for room_id in hints for watcher in self._watchers.get(room_id, ())]
        if not watchers:
            return
        try:
            found = await in_pool(standings, {watcher.place for watcher in watchers})
        except Exception:
            logger.exception("the watchers could not be looked up; nothing is sent until they can")
            return
        for watcher in watchers:
            _tell_one(watcher, hints[watcher.place.room_id], found, beat)

    async def _join(self, room_id: str) -> None:
        try:
            if self._channel:
                await get_channel_layer().group_add(room_group(room_id), self._channel)
        except Exception as error:
            logger.warning("a room could not be joined (%s); its pages go by the tick", type(error).__name__)

    async def _leave(self, room_id: str) -> None:
        try:
            if self._channel:
                await get_channel_layer().group_discard(room_group(room_id), self._channel)
        except Exception as error:
            logger.warning("a room could not be left (%s)", type(error).__name__)

    async def _end(self) -> None:
        tasks, self._tasks, self._channel = self._tasks, [], ""
        for task in tasks:
            task.cancel()
        await asyncio.gather(*tasks, return_exceptions=True)


def _tell_one(watcher: Watcher, hints: dict[str, int], found: Standings, beat: bool) -> None:
    if watcher.place not in found.admitted:
        watcher.dismiss(watcher.place.session_key in found.sessions)
        return
    for kind, seq in hints.items():
        watcher.offer(kind, seq)
    if beat:
        watcher.offer(BEAT, found.heads[watcher.place.room_id])


_watches: WeakKeyDictionary[asyncio.AbstractEventLoop, Watch] = WeakKeyDictionary()


def watch() -> Watch:
    """This loop's watch."""
    return _watches.setdefault(asyncio.get_running_loop(), Watch())
