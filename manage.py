#!/usr/bin/env python
"""Django's entry: the room server, or the owner's host for the host's own commands."""

from __future__ import annotations

import gc
import os
import sys

HOST_COMMANDS = {"runhost", "host", "listen"}


def main(argv: list[str]) -> None:
    command = argv[1] if len(argv) > 1 else ""
    settings = "agentroom.host.settings" if command in HOST_COMMANDS else "agentroom.settings"
    os.environ.setdefault("DJANGO_SETTINGS_MODULE", settings)
    if command == "serve":
        # A start allocates what stays: looking it through again and again takes a sixth of the time. `serve` resumes.
        gc.disable()
    if command == "migrate":
        # A migration may build an index for longer than any request is allowed to run.
        os.environ.setdefault("AGENTROOM_STATEMENT_TIMEOUT_MS", "0")
    from django.core.management import execute_from_command_line

    execute_from_command_line(argv)


if __name__ == "__main__":
    main(sys.argv)
