"""HTTP and WebSocket routing of the room server."""

from __future__ import annotations

import os
from importlib.util import find_spec
from typing import Any

from channels.auth import AuthMiddlewareStack
from channels.layers import get_channel_layer
from channels.routing import ProtocolTypeRouter, URLRouter
from channels.security.websocket import AllowedHostsOriginValidator
from django.conf import settings
from django.core.asgi import get_asgi_application
from django.urls import re_path
from django.utils.module_loading import import_string

os.environ.setdefault("DJANGO_SETTINGS_MODULE", "agentroom.settings")
django_application = get_asgi_application()

from agentroom.core.checks import refuse_unsafe  # noqa: E402 - Django must be set up first
from agentroom.core.threads import ViewThreads  # noqa: E402
from agentroom.edge import Edge  # noqa: E402
from agentroom.lifespan import lifespan  # noqa: E402

if not settings.EMBEDDED:
    refuse_unsafe()  # `manage.py serve` has asked already; uvicorn and daphne by themselves do not
get_channel_layer()  # made here, once: two threads asking first would get two layers

views: Any = ViewThreads(django_application)
http_routes = [re_path(r"", views)]
if find_spec("agentroom.gateway.mcp"):
    http_routes.insert(0, re_path(r"^mcp(/[\s\S]*)?\Z", import_string("agentroom.gateway.mcp.endpoint.application")))

websocket_routes = []
if find_spec("agentroom.board.routing"):
    websocket_routes += import_string("agentroom.board.routing.websocket_urlpatterns")

application = Edge(
    ProtocolTypeRouter(
        {
            "http": URLRouter(http_routes),
            "websocket": ViewThreads(AllowedHostsOriginValidator(AuthMiddlewareStack(URLRouter(websocket_routes)))),
            "lifespan": lifespan,
        }
    )
)
