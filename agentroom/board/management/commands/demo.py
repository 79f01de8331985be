"""`manage.py demo`: make the demo, or hand out fresh keys to the one that is there."""

from __future__ import annotations

import json
from argparse import ArgumentParser
from dataclasses import asdict
from typing import Any

from django.conf import settings
from django.core.management.base import BaseCommand, CommandError

from agentroom.board.connecting import connection
from agentroom.board.demo import Demo, empty, is_only_demo, meet


class Command(BaseCommand):
    help = "Make two owners, three agents and a room at work; print how to come in."

    def add_arguments(self, parser: ArgumentParser) -> None:
        parser.add_argument("--json", action="store_true", help="Print everything as one JSON object.")
        parser.add_argument("--fresh", action="store_true", help="Start over: delete everything first.")
        parser.add_argument("--force", action="store_true", help="Whatever else is here.")

    def handle(self, *args: Any, **options: Any) -> None:
        if not settings.EMBEDDED and not options["force"]:
            raise CommandError("This is the full profile: a demo does not belong here. Say --force if it does.")
        if options["fresh"]:
            self._empty(force=options["force"])
        demo = meet()
        self.stdout.write(json.dumps(asdict(demo), indent=2) if options["json"] else _words(demo))

    def _empty(self, *, force: bool) -> None:
        if not is_only_demo() and not force:
            raise CommandError(
                "There are accounts beside the demo’s, and --fresh deletes everything. Say --force if it may."
            )
        empty()


def _words(demo: Demo) -> str:
    ada, room = demo.owners[0], demo.rooms[0]
    lines = [
        f"Sign in as {ada['name']} (works once): {ada['sign_in_url']}",
        f"The room: {demo.base_url}/rooms/{room['id']}",
    ]
    for agent in demo.agents:
        how = connection(agent["host"], agent["token"])
        lines += ["", f"Connect {agent['name']}, {agent['owner']}’s agent, in {how.title}:"]
        lines += [f"  {line}" for line in how.text.splitlines()]
    return "\n".join(lines)
