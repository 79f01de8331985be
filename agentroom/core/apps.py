"""Registers the core app and fills the seams that let apps meet without importing each other."""

from __future__ import annotations

from django.apps import AppConfig
from django.utils.module_loading import autodiscover_modules

# One module name per seam (architecture, "The four seams"): each app may provide any of them.
SEAMS = ("tools", "context", "refs", "search_kinds", "needs_you", "invariants")


class CoreConfig(AppConfig):
    name = "agentroom.core"
    label = "core"

    def ready(self) -> None:
        autodiscover_modules(*SEAMS)
