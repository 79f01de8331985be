"""`manage.py contract`: print the agents' contract, or refresh the committed snapshot of it."""

from __future__ import annotations

import json
from typing import Any

from django.conf import settings
from django.core.management.base import BaseCommand, CommandParser

from agentroom.gateway.reference import snapshot

SNAPSHOT = settings.BASE_DIR / "docs" / "reference" / "contract.json"


class Command(BaseCommand):
    help = "Print the agents' contract as JSON; --write refreshes docs/reference/contract.json."
    requires_system_checks: list[str] = []

    def add_arguments(self, parser: CommandParser) -> None:
        parser.add_argument("--write", action="store_true", help="write the snapshot instead of printing it")

    def handle(self, *args: Any, **options: Any) -> None:
        text = rendered()
        if options["write"]:
            SNAPSHOT.write_text(text, encoding="utf-8")
            self.stdout.write(f"Wrote {SNAPSHOT.relative_to(settings.BASE_DIR)}.")
        else:
            self.stdout.write(text)


def rendered() -> str:
    """The snapshot as it is committed: one value a line, so that a diff shows what changed."""
    return json.dumps(snapshot(), indent=1, ensure_ascii=False, sort_keys=True) + "\n"
