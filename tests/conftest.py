"""The cast of every test: owners ada and grace, their agents, and one room they share."""

from __future__ import annotations

from collections.abc import Callable, Iterator
from contextlib import AbstractContextManager
from dataclasses import dataclass

import pytest
from django.db import connection
from django.test.utils import CaptureQueriesContext

from agentroom.core import background
from identity.models import Agent, Owner
from identity.operations.instances import forget_presence
from rooms.models import Room
from tests import factories
from tests.auditing import pytest_runtest_call
from tests.clients import McpClient, RestClient
from tests.flushing import flushing_lifts_triggers

__all__ = ["flushing_lifts_triggers", "pytest_runtest_call"]


@dataclass(frozen=True)
class Cast:
    """ada administers Harbour, grace is a member; everybody's Trust is off."""

    ada: Owner
    grace: Owner
    scout: Agent  # ada's, on Claude Code
    forge: Agent  # ada's, on Codex
    quill: Agent  # grace's
    harbour: Room


def make_cast() -> Cast:
    ada, grace = factories.make_owner("ada"), factories.make_owner("grace")
    scout = factories.make_agent(ada, "scout", host="claude")
    forge = factories.make_agent(ada, "forge", host="codex")
    quill = factories.make_agent(grace, "quill")
    harbour = factories.make_room("Harbour", admin=ada)
    factories.make_member(harbour, grace)
    for agent in (scout, forge, quill):
        factories.make_member(harbour, agent)
    return Cast(ada, grace, scout, forge, quill, harbour)


@pytest.fixture
def cast(db: None) -> Cast:
    return make_cast()


@pytest.fixture
def ada(cast: Cast) -> Owner:
    return cast.ada


@pytest.fixture
def grace(cast: Cast) -> Owner:
    return cast.grace


@pytest.fixture
def scout(cast: Cast) -> Agent:
    return cast.scout


@pytest.fixture
def forge(cast: Cast) -> Agent:
    return cast.forge


@pytest.fixture
def quill(cast: Cast) -> Agent:
    return cast.quill


@pytest.fixture
def harbour(cast: Cast) -> Room:
    return cast.harbour


Connect = Callable[[Agent], McpClient | RestClient]


@pytest.fixture(params=["mcp", "rest"])
def connect(request: pytest.FixtureRequest, db: None) -> Connect:
    """`connect(agent)` is a client for it; the test runs once through each door."""
    door = McpClient if request.param == "mcp" else RestClient
    return lambda agent: door(factories.token_for(agent))


@pytest.fixture
def counting_queries(db: None) -> Callable[[], AbstractContextManager[CaptureQueriesContext]]:
    """`with counting_queries() as queries: …; len(queries)` counts the statements of the block."""
    return lambda: CaptureQueriesContext(connection)


@pytest.fixture(autouse=True)
def _nothing_left_over() -> Iterator[None]:
    """What this process remembers of a test's rows ends with the test."""
    yield
    forget_presence()
    background.forget_waiting()
