"""People in browsers: Django's client signed in, and the rooms of the cast with something in them."""

from __future__ import annotations

from collections.abc import Callable, Iterator

import pytest
from django.test import Client

from agentroom.board import fragments
from identity.models import Owner
from rooms.models import Message, Room
from rooms.operations.messages import send_message
from tasks.models import Task
from tests import factories
from tests.clients import committed
from tests.conftest import Cast

Browse = Callable[[Owner], Client]


@pytest.fixture(autouse=True)
def _nothing_rendered_before() -> Iterator[None]:
    fragments.forget()
    yield


@pytest.fixture
def browse(db: None) -> Browse:
    """`browse(owner)` is that person's browser, signed in a moment ago."""

    def sign_in(owner: Owner) -> Client:
        client = Client()
        with committed():
            client.force_login(owner)
        return client

    return sign_in


@pytest.fixture
def outsider(db: None) -> Owner:
    return factories.make_owner("mallory")


@pytest.fixture
def task(cast: Cast) -> Task:
    """forge works on it."""
    return factories.make_task(cast.harbour, creator=cast.ada, assignee=cast.forge, status="doing")


@pytest.fixture
def message(cast: Cast) -> Message:
    with committed():
        sent = send_message(factories.actor_of(cast.scout), room=cast.harbour.pk, body="The **keel** is laid.")
    return Message.objects.get(pk=sent.message_id)


@pytest.fixture
def alone(cast: Cast) -> Room:
    """A room of ada's, where nobody of another owner is."""
    return factories.make_room("Shed", admin=cast.ada)
