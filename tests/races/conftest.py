"""The cast on committed rows, with rate limits off: races are about locks, not budgets."""

from __future__ import annotations

from collections.abc import Callable
from typing import Any

import pytest

from identity.actors import AgentActor
from identity.models import Agent
from tests import factories


@pytest.fixture(autouse=True)
def without_rate_limits(settings: Any) -> None:
    settings.RATE_LIMITS_ENABLED = False


@pytest.fixture
def as_agent(db: None) -> Callable[..., AgentActor]:
    """`as_agent(scout, "second")`: made before the race, since it may write a credential."""
    return lambda agent, instance="main": factories.actor_of(agent, instance_id=instance)


@pytest.fixture
def plates(cast: Any) -> list[Agent]:
    return [cast.scout, cast.forge, cast.quill]
