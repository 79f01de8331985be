"""`manage.py rotate_keys`: sign passports with a new key; the old one verifies for a while longer."""

from __future__ import annotations

from typing import Any

from django.core.management.base import BaseCommand, CommandParser

from agentroom.core.clock import rfc3339
from identity.actors import SystemActor
from identity.operations.keys import rotate_keys


class Command(BaseCommand):
    help = "Sign passports with a new key. Passports of the old one stay good until they expire."

    def add_arguments(self, parser: CommandParser) -> None:
        parser.add_argument(
            "--at-once",
            action="store_true",
            help="refuse every passport made so far, because a key has leaked; agents get new ones by themselves",
        )

    def handle(self, *args: Any, at_once: bool, **options: Any) -> None:
        rotated = rotate_keys(SystemActor(operator_id="console"), at_once=at_once)
        self.stdout.write(f"{rotated.kid} signs from now on.")
        for kid in rotated.retired:
            self.stdout.write(f"{kid} is retired and refused after {rfc3339(rotated.refused_after)}.")
