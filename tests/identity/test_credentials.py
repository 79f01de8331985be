"""Credentials: minted with a fresh verification, shown once, bound or not, revoked."""

from __future__ import annotations

from datetime import timedelta

import pytest
from django.conf import settings

from agentroom.core import limits
from agentroom.core.clock import shifted
from agentroom.core.errors import (
    Conflict,
    InvalidPassport,
    LimitReached,
    NotFound,
    ReauthenticationRequired,
    Validation,
)
from agentroom.core.models import AuditRow
from identity.actors import SystemActor
from identity.authentication import authenticate, v1_resource
from identity.models import Agent, Credential, Instance, Owner
from identity.operations.agents import revoke_agent
from identity.operations.credentials import mint_credential, revoke_credential
from identity.queries import credentials_of
from tests.factories import human_of, make_agent, make_owner, signed_in

pytestmark = pytest.mark.django_db


@pytest.fixture
def ada() -> Owner:
    return make_owner("ada")


@pytest.fixture
def scout(ada: Owner) -> Agent:
    return make_agent(ada, "scout", host="claude")


def test_a_minted_credential_works_at_once_with_a_default_instance_of_its_own(ada: Owner, scout: Agent):
    minted = mint_credential(signed_in(ada), plate=scout.plate, label="laptop")
    actor = authenticate(minted.token, resource=v1_resource())
    assert (actor.plate, actor.credential_id, actor.instance_id) == (
        scout.plate,
        minted.credential_id,
        minted.credential_id,
    )
    assert Instance.objects.get(credential_id=minted.credential_id).is_default


def test_the_token_is_kept_nowhere(ada: Owner, scout: Agent):
    minted = mint_credential(signed_in(ada), plate=scout.plate)
    secret = minted.token.split("_", 2)[2]
    assert len(secret) >= 32  # 192 bits
    kept = [*Credential.objects.values(), *AuditRow.objects.values()]
    assert secret not in str(kept)
    assert secret not in str(credentials_of(human_of(ada), scout.plate).wire())


def test_minting_asks_for_a_fresh_verification(ada: Owner, scout: Agent):
    actor = signed_in(ada)
    with shifted(timedelta(minutes=11)), pytest.raises(ReauthenticationRequired):
        mint_credential(actor, plate=scout.plate)
    with pytest.raises(ReauthenticationRequired):
        mint_credential(human_of(ada), plate=scout.plate)
    assert not Credential.objects.exists()


@pytest.mark.parametrize(
    ("host", "works", "fails"),
    [
        ("", "/mcp", ["/mcp/claude", "/mcp/codex"]),
        ("generic", "/mcp", ["/mcp/claude", "/mcp/codex"]),
        ("claude", "/mcp/claude", ["/mcp", "/mcp/codex"]),
        ("hermes", "/mcp/hermes", ["/mcp", "/mcp/claude"]),
    ],
)
def test_a_credential_works_at_its_own_address_and_v1_only(
    ada: Owner, scout: Agent, host: str, works: str, fails: list[str]
):
    minted = mint_credential(signed_in(ada), plate=scout.plate, host=host)
    assert minted.resource == settings.AGENTROOM_BASE_URL + works
    for path in (works, "/v1"):
        authenticate(minted.token, resource=settings.AGENTROOM_BASE_URL + path)
    for path in fails:
        with pytest.raises(InvalidPassport, match=works):
            authenticate(minted.token, resource=settings.AGENTROOM_BASE_URL + path)


def test_another_s_agent_is_not_found(scout: Agent):
    grace = make_owner("grace")
    with pytest.raises(NotFound):
        mint_credential(signed_in(grace), plate=scout.plate)
    minted = mint_credential(SystemActor(), plate=scout.plate)
    with pytest.raises(NotFound):
        revoke_credential(human_of(grace), credential_id=minted.credential_id)
    with pytest.raises(NotFound):
        credentials_of(human_of(grace), scout.plate)


def test_an_operator_s_command_mints_without_a_session(scout: Agent):
    minted = mint_credential(SystemActor(operator_id="console"), plate=scout.plate)
    assert AuditRow.objects.get(record_id=minted.credential_id).actor_key == "operator:console"


def test_a_revoked_agent_gets_no_credential(ada: Owner, scout: Agent):
    revoke_agent(human_of(ada), plate=scout.plate)
    with pytest.raises(Conflict):
        mint_credential(signed_in(ada), plate=scout.plate)


def test_there_is_a_most_and_revoking_makes_room(ada: Owner, scout: Agent, monkeypatch: pytest.MonkeyPatch):
    monkeypatch.setattr(limits, "CREDENTIALS_PER_AGENT", 2)
    first = mint_credential(signed_in(ada), plate=scout.plate)
    mint_credential(signed_in(ada), plate=scout.plate)
    with pytest.raises(LimitReached):
        mint_credential(signed_in(ada), plate=scout.plate)
    revoke_credential(human_of(ada), credential_id=first.credential_id)
    mint_credential(signed_in(ada), plate=scout.plate)


@pytest.mark.parametrize(("field", "value"), [("host", "netscape"), ("label", "x" * 65), ("label", "two\nlines")])
def test_a_wrong_argument_is_named_and_nothing_is_made(ada: Owner, scout: Agent, field: str, value: str):
    with pytest.raises(Validation) as refusal:
        mint_credential(signed_in(ada), plate=scout.plate, **{field: value})
    assert list(refusal.value.fields) == [field]
    assert not Credential.objects.exists()


def test_revoking_twice_is_a_conflict(ada: Owner, scout: Agent):
    minted = mint_credential(signed_in(ada), plate=scout.plate)
    revoke_credential(human_of(ada), credential_id=minted.credential_id)
    with pytest.raises(Conflict):
        revoke_credential(human_of(ada), credential_id=minted.credential_id)


def test_the_list_shows_newest_first_with_what_became_of_each(ada: Owner, scout: Agent):
    first = mint_credential(signed_in(ada), plate=scout.plate, label="one")
    mint_credential(signed_in(ada), plate=scout.plate, label="two", host="claude")
    revoke_credential(human_of(ada), credential_id=first.credential_id)
    cards = credentials_of(human_of(ada), scout.plate).credentials
    assert [(card.label, card.host, card.revoked_at is None) for card in cards] == [
        ("two", "claude", True),
        ("one", "", False),
    ]
