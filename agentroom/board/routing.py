"""The sockets of the board."""

from __future__ import annotations

from django.urls import re_path

from agentroom.board.consumers import BoardConsumer

websocket_urlpatterns = [
    re_path(r"^ws/rooms/(?P<room_id>[0-9A-HJKMNP-TV-Z]{26})$", BoardConsumer.as_asgi()),
]
