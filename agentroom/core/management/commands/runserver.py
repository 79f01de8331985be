"""Django's development server, daphne: with the background lanes, and without its log of full addresses."""

from __future__ import annotations

from typing import Any

from daphne.management.commands.runserver import Command as Daphne
from daphne.management.commands.runserver import get_default_application
from django.conf import settings

from agentroom.core import background


class Command(Daphne):
    default_port = str(settings.AGENTROOM_PORT)

    def inner_run(self, *args: Any, **options: Any) -> None:
        background.start()
        super().inner_run(*args, **options)

    def get_application(self, options: dict[str, Any]) -> Any:
        """Ours without Django's static handler around it: the edge must stay outermost."""
        return get_default_application()

    def log_action(self, protocol: str, action: str, details: dict[str, Any]) -> None:
        """Nothing: daphne would print query strings, and with them `?key=`."""
