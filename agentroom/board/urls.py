"""The addresses of the people's door."""

from __future__ import annotations

from django.urls import path, register_converter

from agentroom.board import appearance, live


class UlidConverter:
    regex = "[0-9A-HJKMNP-TV-Z]{26}"

    def to_python(self, value: str) -> str:
        return value

    def to_url(self, value: str) -> str:
        return value


register_converter(UlidConverter, "ulid")

urlpatterns = [
    path("theme", appearance.theme, name="theme"),
    path("rooms/<ulid:room_id>/ticket", live.ticket, name="ticket"),
]
