"""The product's own server and lanes around an application that is slow on purpose; run as a process by tests."""

from __future__ import annotations

import asyncio
import os
import sys
import time
from typing import Any

import django

os.environ.setdefault("DJANGO_SETTINGS_MODULE", "agentroom.settings")
django.setup()

from celery import shared_task  # noqa: E402
from channels.routing import ProtocolTypeRouter  # noqa: E402

from agentroom.core import background  # noqa: E402
from agentroom.core.serving.places import sockets_for  # noqa: E402
from agentroom.core.serving.server import Server, leave  # noqa: E402
from agentroom.core.threads import in_pool  # noqa: E402
from agentroom.edge import Edge  # noqa: E402
from agentroom.lifespan import lifespan  # noqa: E402


@shared_task(name="tests.hang")
def hang() -> None:
    sys.stdout.write("job hangs\n")
    sys.stdout.flush()
    time.sleep(600)


async def http(scope: dict[str, Any], receive: Any, send: Any) -> None:
    """`/sleep/<seconds>` answers after that time on a pool thread; `/job` starts a job that hangs."""
    _, kind, *rest = scope["path"].split("/")
    sys.stdout.write(f"serving {scope['path']}\n")
    sys.stdout.flush()
    if kind == "sleep":
        await asyncio.shield(in_pool(time.sleep, float(rest[0])))
    if kind == "job":
        await in_pool(background.later, "tests.hang")
    await send({"type": "http.response.start", "status": 200, "headers": [(b"content-length", b"4")]})
    await send({"type": "http.response.body", "body": b"done"})


async def websocket(scope: dict[str, Any], receive: Any, send: Any) -> None:
    await receive()
    await send({"type": "websocket.accept"})
    while (await receive())["type"] != "websocket.disconnect":
        pass


if __name__ == "__main__":
    application = Edge(ProtocolTypeRouter({"http": http, "websocket": websocket, "lifespan": lifespan}))
    server = Server(application, lambda: print("serving", flush=True))
    if "--end-with-parent" in sys.argv:
        server.end_with_parent()
    server.run(sockets=sockets_for("127.0.0.1", int(os.environ["PORT"])))
    leave()
