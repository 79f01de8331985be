"""Starting and ending with the server: the background lanes live exactly as long as it serves."""

from __future__ import annotations

from collections.abc import Awaitable, Callable
from typing import Any

from asgiref.sync import sync_to_async

from agentroom.core import background

STOP_SECONDS = 2.0

Receive = Callable[[], Awaitable[dict[str, Any]]]
Send = Callable[[dict[str, Any]], Awaitable[None]]


async def lifespan(scope: dict[str, Any], receive: Receive, send: Send) -> None:
    """The ASGI lifespan protocol; a server without it (daphne) starts the lanes itself or does without."""
    while (await receive())["type"] == "lifespan.startup":
        await sync_to_async(background.start, thread_sensitive=False)()
        await send({"type": "lifespan.startup.complete"})
    await sync_to_async(background.stop, thread_sensitive=False)(STOP_SECONDS)
    await send({"type": "lifespan.shutdown.complete"})
