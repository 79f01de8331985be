"""Registers the rooms app, and what identity asks of it: an agent's inbox count, and farewells."""

from __future__ import annotations

from django.apps import AppConfig


class RoomsConfig(AppConfig):
    name = "rooms"
    label = "rooms"

    def ready(self) -> None:
        from identity.authentication import register_inbox_count  # noqa: PLC0415 - models are there only now
        from rooms import farewells  # noqa: PLC0415
        from rooms.inbox import count_of_agent  # noqa: PLC0415

        register_inbox_count(count_of_agent())
        farewells.register()
