"""`manage.py audit_invariants`: re-check what must always hold; exit 1 when anything does not."""

from __future__ import annotations

from typing import Any

from django.core.management.base import BaseCommand, CommandError

from agentroom.core import invariants


class Command(BaseCommand):
    help = "Check the invariants over the whole database and print what does not hold."

    def handle(self, *args: Any, **options: Any) -> None:
        found = list(invariants.findings())
        for name, finding in found:
            self.stdout.write(f"{name}: {finding}")
        if found:
            raise CommandError(f"{len(found)} findings", returncode=1)
        self.stdout.write(f"{len(invariants.names())} checks, 0 findings")
