"""A passport seen before is not verified again, and costs one statement; what is remembered is bounded and short."""

from __future__ import annotations

from datetime import timedelta
from unittest.mock import patch

import pytest
from django.conf import settings

from agentroom.core.errors import InvalidPassport
from identity import passports, verified
from identity.actors import SystemActor
from identity.authentication import authenticate, v1_resource
from identity.operations.keys import rotate_keys
from tests.factories import Held, make_agent, make_credential, make_owner, passport_for

pytestmark = pytest.mark.django_db


@pytest.fixture
def held() -> Held:
    verified.forget()
    return make_credential(make_agent(make_owner("ada")))


def test_the_second_call_verifies_nothing_and_asks_the_database_once(held: Held, counting_queries):
    token = passport_for(held.credential)
    first = authenticate(token, resource=v1_resource())
    with patch.object(passports, "verify", side_effect=AssertionError), counting_queries() as queries:
        assert authenticate(token, resource=v1_resource()) == first
    assert len(queries) == 1


def test_a_credential_costs_one_statement(held: Held, counting_queries):
    with counting_queries() as queries:
        authenticate(held.token, resource=v1_resource())
    assert len(queries) == 1


def test_a_remembered_passport_is_still_refused_at_another_address(held: Held):
    token = passport_for(held.credential)
    authenticate(token, resource=v1_resource())
    with pytest.raises(InvalidPassport):
        authenticate(token, resource=f"{settings.AGENTROOM_BASE_URL}/mcp")


def test_a_passport_is_forgotten_when_it_ends(held: Held):
    token = passport_for(held.credential, lifetime=timedelta(seconds=5))
    authenticate(token, resource=v1_resource())
    later = passports.time.time() + 5 + passports.SKEW_SECONDS + 1
    with (
        patch.object(verified.time, "time", return_value=later),
        patch.object(passports, "verify", side_effect=InvalidPassport("ended")),
        pytest.raises(InvalidPassport, match="ended"),
    ):
        authenticate(token, resource=v1_resource())


def test_a_key_refused_at_once_stops_remembered_passports_too(held: Held):
    token = passport_for(held.credential)
    authenticate(token, resource=v1_resource())
    rotate_keys(SystemActor(), at_once=True)
    with pytest.raises(InvalidPassport):
        authenticate(token, resource=v1_resource())


def test_only_so_many_are_remembered_and_the_oldest_go_first(held: Held):
    with patch.object(verified, "REMEMBERED", 3):
        tokens = [passport_for(held.credential) for _ in range(5)]
        for token in tokens:
            authenticate(token, resource=v1_resource())
        assert len(verified._known) == 3
        with patch.object(passports, "verify", side_effect=AssertionError):
            for token in tokens[2:]:
                authenticate(token, resource=v1_resource())
