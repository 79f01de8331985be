"""`manage.py serve`: check, migrate, seed, then serve, all in this one process."""

from __future__ import annotations

import gc
import io
import logging
import socket
from argparse import ArgumentParser
from typing import Any

from django.conf import settings
from django.contrib.auth import get_user_model
from django.core.management import call_command, get_commands
from django.core.management.base import BaseCommand, CommandError
from django.db import connection, connections
from django.db.migrations.executor import MigrationExecutor
from django.utils.module_loading import import_string

from agentroom.core import logs
from agentroom.core.serving.places import Taken, lock, sockets_for
from agentroom.core.serving.server import Server, leave

logger = logging.getLogger(__name__)


class Command(BaseCommand):
    help = "Serve the room. HOST, PORT, AGENTROOM_DATA and the rest come from the environment."
    requires_system_checks = ()  # asked once, with the database, below

    def add_arguments(self, parser: ArgumentParser) -> None:
        parser.add_argument(
            "--end-with-parent", action="store_true", help="Stop when the process that started this one is gone."
        )

    def handle(self, *args: Any, **options: Any) -> None:
        sockets = self._own_places()
        self.check(databases=["default"])
        self._migrate()
        self._seed()
        application = import_string(settings.ASGI_APPLICATION)
        if settings.EMBEDDED:  # after the import, which sets up logging
            logs.keep_in_file(settings.AGENTROOM_DATA / "agentroom.log")
        server = Server(application, self._announce)
        if options["end_with_parent"]:
            server.end_with_parent()
        connections.close_all()
        gc.collect()
        gc.freeze()
        gc.enable()
        server.run(sockets=sockets)
        leave()

    def _own_places(self) -> list[socket.socket]:
        try:
            sockets = sockets_for(settings.AGENTROOM_HOST, settings.AGENTROOM_PORT)
            if settings.EMBEDDED:
                self._lock = lock(settings.AGENTROOM_DATA / "serve.lock")
        except Taken as taken:
            raise CommandError(str(taken)) from None
        except OSError as error:
            address = f"{settings.AGENTROOM_HOST}:{settings.AGENTROOM_PORT}"
            raise CommandError(f"Cannot listen on {address}: {error.strerror}. Check HOST and PORT.") from None
        return sockets

    def _migrate(self) -> None:
        executor = MigrationExecutor(connection)
        if not executor.migration_plan(executor.loader.graph.leaf_nodes()):
            return
        if not settings.EMBEDDED:
            raise CommandError("Migrations are missing. Run manage.py migrate first, then start the servers.")
        self.stdout.write("Preparing the database …")
        gc.enable()  # migrations leave a whole model state behind at every step
        call_command("migrate", interactive=False, verbosity=0)

    def _seed(self) -> None:
        """The demo on the first start, and on every later one its fresh sign-in link; never on others' data."""
        self._welcome = ""
        marker = settings.AGENTROOM_DATA / "demo"
        is_empty = not get_user_model()._default_manager.exists()
        if settings.EMBEDDED and "demo" in get_commands() and (is_empty or marker.exists()):
            marker.touch()
            printed = io.StringIO()
            try:
                call_command("demo", stdout=printed)
            except Exception:  # people's own rooms are served all the same
                logger.exception("the demo could not be made")
                printed.write("The demo could not be made; the log says why. Everything else is served.\n")
            self._welcome = printed.getvalue()

    def _announce(self) -> None:
        self.stdout.write(f"\nAgent Room is ready: {settings.AGENTROOM_BASE_URL}\n\n{self._welcome}")
        self.stdout.flush()
