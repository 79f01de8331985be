"""One scene for all tests of a file, built once; each test's own changes are rolled back."""

from __future__ import annotations

from collections.abc import Iterator

import pytest
from django.db import connection

from tests.clients import undone
from tests.conftest import make_cast
from tests.contract import world
from tests.contract.world import World


@pytest.fixture(scope="module")
def built_scene(django_db_setup: None, django_db_blocker: pytest.FixtureRequest) -> Iterator[World]:
    with django_db_blocker.unblock(), undone():
        if connection.vendor == "postgresql":
            with connection.cursor() as cursor:
                # Making up inputs takes as long as it takes, and the scene lies idle in its transaction meanwhile.
                cursor.execute("SET LOCAL idle_in_transaction_session_timeout = 0")
        yield world.build(make_cast())


@pytest.fixture
def scene(built_scene: World, db: None, settings) -> World:
    settings.RATE_LIMITS_ENABLED = False
    return built_scene


@pytest.fixture(params=["mcp", "rest"])
def door(request: pytest.FixtureRequest) -> str:
    return request.param
