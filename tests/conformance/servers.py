"""The product with the suite's fixtures, under both ASGI servers that it supports."""

from __future__ import annotations

from tests.services.server import EmbeddedServer

FIXTURES = {"AGENTROOM_CONFORMANCE_FIXTURES": "1"}
MAKE_TOKEN = (
    "from tests import factories; "
    "print('token', factories.token_for(factories.make_agent(factories.make_owner('ada'), 'scout')))"
)


class UvicornServer(EmbeddedServer):
    """As `make run` serves."""

    def __init__(self) -> None:
        super().__init__(**FIXTURES)


class DaphneServer(EmbeddedServer):
    """As a proxy may run it: daphne never sends the lifespan, and sends headers with the first body chunk."""

    def __init__(self) -> None:
        super().__init__(**FIXTURES)

    def start(self) -> DaphneServer:
        self.manage("migrate", "--no-input")
        options = ["-b", "127.0.0.1", "-p", str(self.port)]
        self._run("daphne", "-m", "daphne", *options, "agentroom.asgi:application").wait_until(self._answers)
        return self


def token_of(server: EmbeddedServer) -> str:
    """A credential of a new agent on that server."""
    printed = server.manage("shell", "--no-imports", "-c", MAKE_TOKEN)
    return printed.rpartition("token ")[2].strip()
