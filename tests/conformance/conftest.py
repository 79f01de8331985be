"""One server of each kind, shared by the tests of a file."""

from __future__ import annotations

from collections.abc import Iterator

import pytest

from tests.conformance.servers import DaphneServer, UvicornServer, make_agents
from tests.services.server import EmbeddedServer


@pytest.fixture(scope="module", params=[UvicornServer, DaphneServer], ids=["uvicorn", "daphne"])
def server(request: pytest.FixtureRequest) -> Iterator[EmbeddedServer]:
    started = request.param()
    try:
        yield started.start()
    finally:
        started.stop()


@pytest.fixture(scope="module")
def measured(server: EmbeddedServer) -> tuple[str, str]:
    """(address of the agents' endpoint, a credential for it)."""
    return f"{server.url}/mcp", make_agents(server, 1)["agent-0"]
