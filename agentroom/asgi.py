"""HTTP and WebSocket routing of the room server."""

from __future__ import annotations

import os
from typing import Any

from channels.auth import AuthMiddlewareStack
from channels.layers import get_channel_layer
from channels.routing import ProtocolTypeRouter, URLRouter
from channels.security.websocket import AllowedHostsOriginValidator
from django.conf import settings
from django.core.asgi import get_asgi_application

os.environ.setdefault("DJANGO_SETTINGS_MODULE", "agentroom.settings")
django_application = get_asgi_application()

from agentroom.board.routing import websocket_urlpatterns  # noqa: E402 - after Django
from agentroom.core.checks import refuse_unsafe  # noqa: E402
from agentroom.core.threads import ViewThreads  # noqa: E402
from agentroom.edge import Edge  # noqa: E402
from agentroom.gateway.mcp import endpoint  # noqa: E402
from agentroom.lifespan import lifespan  # noqa: E402

if not settings.EMBEDDED:
    refuse_unsafe()  # `manage.py serve` has asked already; uvicorn and daphne by themselves do not
get_channel_layer()  # made here, once: two threads asking first would get two layers

views: Any = ViewThreads(django_application)
# By the first part of the path: what is answered without a Django request. Everything else is a view.
AHEAD_OF_DJANGO: dict[str, Any] = {"mcp": endpoint.application}


async def http(scope: Any, receive: Any, send: Any) -> None:
    first = scope["path"].removeprefix("/").partition("/")[0]
    await AHEAD_OF_DJANGO.get(first, views)(scope, receive, send)


application = Edge(
    ProtocolTypeRouter(
        {
            "http": http,
            "websocket": ViewThreads(
                AllowedHostsOriginValidator(AuthMiddlewareStack(URLRouter(websocket_urlpatterns)))
            ),
            "lifespan": lifespan,
        }
    )
)
