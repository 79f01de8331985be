"""Registers the identity app."""

from __future__ import annotations

from django.apps import AppConfig


class IdentityConfig(AppConfig):
    name = "identity"
    label = "identity"

    def ready(self) -> None:
        from identity import receivers  # noqa: PLC0415 - models are there only now

        receivers.connect()
