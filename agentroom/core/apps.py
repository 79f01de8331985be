"""Registers the core app and fills the seams that let apps meet without importing each other."""

from __future__ import annotations

import sys

from django.apps import AppConfig, apps
from django.core.checks import Tags, register
from django.utils.module_loading import autodiscover_modules

from agentroom.core import checks
from agentroom.core.contract import registry

# One module name per seam (architecture, "The four seams"): each app may provide any of them.
SEAMS = ("tools", "context", "refs", "search_kinds", "needs_you", "invariants", "probes")


class CoreConfig(AppConfig):
    name = "agentroom.core"
    label = "core"

    def ready(self) -> None:
        register(checks.configuration, Tags.security)
        register(checks.database, Tags.database)
        autodiscover_modules(*SEAMS)
        for config in apps.get_app_configs():
            if tools := sys.modules.get(f"{config.name}.tools"):
                registry.collect(tools)
