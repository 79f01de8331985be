"""Actors of the cast, and the few questions every test of tasks asks."""

from __future__ import annotations

from collections.abc import Callable

import pytest

from agentroom.core import refs
from identity.actors import AgentActor, HumanActor
from identity.models import Agent, Owner
from rooms.models import Mention, Room
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
def held(harbour: Room, scout: Agent, forge: Agent) -> Task:
    """A task that scout made and forge's instance `main` holds at fence 1."""
    return factories.make_task(harbour, creator=scout, assignee=forge, status="doing")


@pytest.fixture
def pool_task(harbour: Room, scout: Agent) -> Task:
    return factories.make_task(harbour, creator=scout)


@pytest.fixture
def rings(db: None) -> Callable[[Agent], list[tuple[str, str]]]:
    """`rings(forge)`: (kind, task id) of what is open in an agent's inbox, oldest first."""

    def open_rings(agent: Agent) -> list[tuple[str, str]]:
        found = Mention.objects.filter(agent=agent, acked_at=None, cancelled_at=None).order_by("seq")
        return list(found.values_list("kind", "task_id"))

    return open_rings


@pytest.fixture
def library(monkeypatch: pytest.MonkeyPatch) -> dict[str, str]:
    """Files by path → what a reference to them resolves to; the real resolver of `msg:` stays."""
    shelf: dict[str, str] = {}
    monkeypatch.setitem(refs._resolvers, "file", lambda room_id, rest: shelf.get(rest))
    return shelf
