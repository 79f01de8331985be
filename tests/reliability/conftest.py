"""No budgets here: faults and crowds are the subject. And one server of each profile that tests may hurt."""

from __future__ import annotations

from collections.abc import Iterator
from typing import Any

import pytest

from tests.reliability.demo import Place
from tests.services.server import EmbeddedServer, FullServer


@pytest.fixture(autouse=True)
def without_rate_limits(settings: Any) -> None:
    settings.RATE_LIMITS_ENABLED = False


@pytest.fixture(scope="session", params=["embedded", "full"])
def place(request: pytest.FixtureRequest) -> Iterator[Place]:
    """The demo on a server without rate limits. At its end all invariants hold."""
    if request.param == "embedded":
        server: EmbeddedServer | FullServer = EmbeddedServer(AGENTROOM_RATE_LIMITS="off")
    else:
        addresses = (request.getfixturevalue(name) for name in ("database_server", "redis_url"))
        server = FullServer(*addresses, AGENTROOM_RATE_LIMITS="off")
    try:
        place = Place.on(server.start())
        yield place
        place.audit()
    finally:
        server.stop()
