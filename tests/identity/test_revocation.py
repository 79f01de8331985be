"""Revoking takes effect on the very next call, however good the token still is."""

from __future__ import annotations

from collections.abc import Callable

import pytest

from agentroom.core.clock import db_now
from agentroom.core.errors import Revoked
from identity import passports
from identity.actors import SystemActor
from identity.authentication import authenticate, v1_resource
from identity.models import Owner
from identity.operations.accounts import delete_account, restore_account, suspend_account
from identity.operations.agents import revoke_agent
from identity.operations.credentials import revoke_credential
from tests.factories import Held, human_of, make_agent, make_credential, make_owner, passport_for, signed_in

pytestmark = pytest.mark.django_db
Present = Callable[[Held], str]


@pytest.fixture
def ada() -> Owner:
    return make_owner("ada")


@pytest.fixture
def held(ada: Owner) -> Held:
    return make_credential(make_agent(ada))


@pytest.fixture(params=["credential", "passport"])
def token(request: pytest.FixtureRequest, held: Held) -> str:
    """A token that has been accepted once, so that whatever is remembered is remembered."""
    shown = held.token if request.param == "credential" else passport_for(held.credential)
    assert authenticate(shown, resource=v1_resource()).credential_id == held.credential.pk
    return shown


def refused(token: str) -> None:
    with pytest.raises(Revoked):
        authenticate(token, resource=v1_resource())


def test_a_revoked_credential_is_refused_on_the_next_call(ada: Owner, held: Held, token: str):
    revoke_credential(human_of(ada), credential_id=held.credential.pk)
    refused(token)


def test_a_revoked_agent_is_refused_on_the_next_call(ada: Owner, held: Held, token: str):
    revoke_agent(human_of(ada), plate=held.credential.agent.plate)
    refused(token)


@pytest.mark.damages
def test_an_agent_revoked_without_its_credentials_is_refused_as_well(held: Held, token: str):
    held.credential.agent.revoked_at = db_now()
    held.credential.agent.save()
    refused(token)


def test_the_agents_of_a_suspended_person_are_refused_until_the_account_is_restored(ada: Owner, token: str):
    suspend_account(SystemActor(), owner_id=ada.pk)
    refused(token)
    restore_account(SystemActor(), owner_id=ada.pk)
    authenticate(token, resource=v1_resource())


def test_the_agents_of_a_deleted_account_are_refused(ada: Owner, token: str):
    delete_account(signed_in(ada))
    refused(token)


def test_another_credential_of_the_agent_goes_on_working(ada: Owner, held: Held, token: str):
    other = make_credential(held.credential.agent)
    revoke_credential(human_of(ada), credential_id=held.credential.pk)
    assert authenticate(other.token, resource=v1_resource()).agent_id == held.credential.agent_id


def test_scopes_taken_away_are_gone_on_the_next_call(held: Held, token: str):
    agent = held.credential.agent
    agent.scopes = 1
    agent.save()
    assert authenticate(token, resource=v1_resource()).scopes.names == ["READ"]


def test_a_passport_never_carries_more_than_its_agent_has(held: Held):
    token = passport_for(held.credential, scopes=passports.ALL)
    assert "INVOKE" not in authenticate(token, resource=v1_resource()).scopes.names
