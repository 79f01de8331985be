"""Actors of the cast, and the few questions every test of tasks asks."""

from __future__ import annotations

from collections.abc import Callable

import pytest

from identity.actors import AgentActor, HumanActor
from identity.models import Agent, Owner
from rooms.models import Room
from tasks.models import Task
from tests import factories


@pytest.fixture
def as_agent(db: None) -> Callable[..., AgentActor]:
    """`as_agent(scout)`, or as another running copy: `as_agent(scout, "second")`."""
    return lambda agent, instance="main": factories.actor_of(agent, instance_id=instance)


@pytest.fixture
def as_person(db: None) -> Callable[[Owner], HumanActor]:
    return factories.human_of


@pytest.fixture
def task(harbour: Room, scout: Agent, forge: Agent) -> Task:
    """An open task that scout made for forge; both are ada's."""
    return factories.make_task(harbour, creator=scout, assignee=forge)


@pytest.fixture
def pool_task(harbour: Room, scout: Agent) -> Task:
    return factories.make_task(harbour, creator=scout)
