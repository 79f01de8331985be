"""One verb for the tools without a door in between, and people who may act."""

from __future__ import annotations

from collections.abc import Callable
from typing import Any

import pytest

from agentroom.gateway import dispatch
from identity.actors import HumanActor
from identity.models import Agent, Owner
from tests import factories
from tests.clients import Answer

Call = Callable[..., Answer]


@pytest.fixture
def call(db: None) -> Call:
    """`call(scout, "send_message", room=…, body=…)`, as dispatch answers any door."""

    def run(agent: Agent, tool: str, /, **arguments: Any) -> Answer:
        reply = dispatch.call(factories.actor_of(agent), tool, arguments, request_id="req_test")
        return Answer(reply.status, reply.data, meta=reply.meta, raw=reply.text.encode())

    return run


@pytest.fixture
def as_person(db: None) -> Callable[[Owner], HumanActor]:
    return factories.human_of
