"""One server of each kind, shared by the revisions."""

from __future__ import annotations

from collections.abc import Iterator

import pytest

from tests.conformance.servers import DaphneServer, UvicornServer, token_of


@pytest.fixture(scope="module", params=[UvicornServer, DaphneServer], ids=["uvicorn", "daphne"])
def measured(request: pytest.FixtureRequest) -> Iterator[tuple[str, str]]:
    """(address of the agents' endpoint, a credential for it)."""
    server = request.param()
    try:
        server.start()
        yield f"{server.url}/mcp", token_of(server)
    finally:
        server.stop()
