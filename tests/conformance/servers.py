"""The product with the suite's fixtures, under both ASGI servers that it supports."""

from __future__ import annotations

import json

from tests.services.server import EmbeddedServer

FIXTURES = {"AGENTROOM_CONFORMANCE_FIXTURES": "1"}
# Each agent alone in a room of its name, so that an answer shows whose it is.
MAKE_AGENTS = """
import json
from tests import factories
owner = factories.make_owner("examiner{mark}")
made = dict()
for number in range({count}):
    name = f"agent-{{number}}"
    agent = factories.make_agent(owner, name)
    factories.make_member(factories.make_room(name, admin=owner), agent)
    made[name] = factories.token_for(agent)
print("agents", json.dumps(made))
"""


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


def make_agents(server: EmbeddedServer, count: int, mark: str = "") -> dict[str, str]:
    """Credentials of `count` new agents by the name of agent and room."""
    printed = server.manage("shell", "--no-imports", "-c", MAKE_AGENTS.format(count=count, mark=mark))
    made: dict[str, str] = json.loads(printed.rpartition("agents ")[2])
    return made
