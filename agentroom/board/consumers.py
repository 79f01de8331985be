"""The socket of one open room page. It carries hints only: `{"seq": n, "kind": …}`; the page pulls what changed."""

from __future__ import annotations

import asyncio
import contextlib
import json
import time
from typing import Any
from urllib.parse import parse_qs

from channels.exceptions import StopConsumer
from channels.generic.websocket import AsyncWebsocketConsumer
from django.conf import settings

from agentroom.board.standing import Place, standings
from agentroom.board.tickets import admits
from agentroom.board.watch import watch
from agentroom.core.threads import in_pool
from identity.models import Owner

FRAMES_PER_SECOND = 20
SOCKETS_PER_SESSION = 5
HELLO = "hello"

# What board.js tells apart: sign in again, no longer a member, try later.
SESSION_ENDED = 4401
NOT_A_MEMBER = 4403
TOO_MANY_FRAMES = 4408
TOO_MANY_SOCKETS = 4429


class BoardConsumer(AsyncWebsocketConsumer):
    channel_layer_alias = "none"  # the watch listens for every socket; a channel each would be 500 for one room

    async def connect(self) -> None:
        self._waiting: dict[str, int] = {}
        self._news = asyncio.Event()
        self._writer: asyncio.Task[None] | None = None
        self._frames, self._second = 0, 0.0
        place = self._asked_place()
        found = await in_pool(standings, {place}) if place else None
        if place is None or found is None or place not in found.admitted:
            await self.close()
            return
        self.place = place
        await self.accept()
        if watch().of_session(place.session_key) >= SOCKETS_PER_SESSION:
            await self.close(TOO_MANY_SOCKETS)
            return
        self._writer = asyncio.create_task(self._write())
        await watch().add(self)
        # Read again now that hints arrive: a change between the two looks is in this one or in a hint.
        found = await in_pool(standings, {place})
        self.offer(HELLO, found.heads.get(place.room_id, 0))

    async def disconnect(self, code: int) -> None:
        if self._writer is not None:
            await watch().remove(self)
            self._writer.cancel()
        raise StopConsumer

    async def receive(self, text_data: str | None = None, bytes_data: bytes | None = None) -> None:
        """Nothing a page sends means anything; too much of it ends the socket."""
        now = time.monotonic()
        if now - self._second >= 1:
            self._frames, self._second = 0, now
        self._frames += 1
        if self._frames > FRAMES_PER_SECOND:
            await self.close(TOO_MANY_FRAMES)

    def offer(self, kind: str, seq: int) -> None:
        """Send when the page has read what came before: a page that stalls holds one hint of each kind, no more."""
        self._waiting[kind] = max(seq, self._waiting.get(kind, 0))
        self._news.set()

    def dismiss(self, place_is_lost: bool) -> None:
        """The person left the room, or the session has ended."""
        if self._writer is not None and not self._writer.done():
            self._writer.cancel()
        code = NOT_A_MEMBER if place_is_lost else SESSION_ENDED
        self._goodbye = asyncio.create_task(self.close(code))

    async def _write(self) -> None:
        with contextlib.suppress(ConnectionError, RuntimeError):
            while True:
                await self._news.wait()
                self._news.clear()
                waiting, self._waiting = self._waiting, {}
                for kind, seq in waiting.items():
                    await self.send(json.dumps({"seq": seq, "kind": kind}))

    def _asked_place(self) -> Place | None:
        """The seat this handshake may ask for: signed in, from a page of ours, with a ticket of that session."""
        user: Any = self.scope.get("user")
        session_key = self.scope["session"].session_key or ""
        room_id = self.scope["url_route"]["kwargs"]["room_id"]
        ticket = parse_qs(self.scope.get("query_string", b"").decode("latin-1")).get("ticket", [""])[0]
        if not isinstance(user, Owner) and not isinstance(getattr(user, "_wrapped", None), Owner):
            return None
        if not self._is_ours() or not admits(ticket, session_key, room_id):
            return None
        return Place(room_id, user.pk, session_key)

    def _is_ours(self) -> bool:
        headers = dict(self.scope["headers"])
        origin = headers.get(b"origin", b"").decode("latin-1")
        host = headers.get(b"host", b"").decode("latin-1")
        schemes = {"https"} if settings.HTTPS else {"http", "https"}
        return origin in {f"{scheme}://{host}" for scheme in schemes} or origin == settings.AGENTROOM_BASE_URL
