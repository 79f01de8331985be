"""No hostile token is accepted at any door, and each is refused as what it is: a bad identity, never a fault."""

from __future__ import annotations

import random
import time

import pytest
from django.conf import settings

from agentroom.core.errors import PublicError
from identity import verified
from identity.authentication import authenticate, v1_resource
from tests.factories import make_agent, make_credential, make_owner, passport_for
from tests.identity.forge import Forge
from tests.identity.hostile import corpus

pytestmark = pytest.mark.django_db
MUTANTS = 5_000


@pytest.fixture
def forge() -> Forge:
    verified.forget()
    return Forge(make_credential(make_agent(make_owner("ada"))))


def refusal_of(token: str, resource: str) -> str:
    """The status and code a token earns; "accepted" when it earns none. Anything but a public error is a failure."""
    try:
        authenticate(token, resource=resource)
    except PublicError as error:
        return f"{error.status} {error.code}"
    return "accepted"


def test_the_forge_makes_good_tokens_so_that_each_fault_is_the_only_one(forge: Forge):
    actor = authenticate(forge.token(), resource=v1_resource())
    assert actor.plate == forge.claims["sub"]
    assert authenticate(forge.token(ins="desk-2"), resource=v1_resource()).instance_id == "desk-2"


def test_every_token_of_the_corpus_is_refused(forge: Forge):
    tokens = corpus(forge)
    assert len(tokens) >= 400, len(tokens)
    found = {what: refusal_of(token, v1_resource()) for what, token in tokens}
    assert {what: how for what, how in found.items() if how != "401 INVALID_PASSPORT"} == {}


def test_a_remembered_token_makes_no_hostile_one_good(forge: Forge):
    good = forge.token()
    assert refusal_of(good, v1_resource()) == "accepted"
    for what, token in corpus(forge):
        assert refusal_of(token, v1_resource()) == "401 INVALID_PASSPORT", what
    assert refusal_of(good, v1_resource()) == "accepted"


def test_no_mutant_of_a_good_token_is_accepted(forge: Forge):
    seed = time.time_ns()
    print(f"seed {seed}")
    chance = random.Random(seed)
    good = forge.token().encode()
    for _ in range(MUTANTS):
        mutant = bytearray(good)
        for _ in range(chance.choice((1, 1, 1, 2, 3))):
            position = chance.randrange(len(mutant))
            mutant[position] ^= 1 << chance.randrange(7)
        if bytes(mutant) != good:
            assert refusal_of(mutant.decode("latin-1"), v1_resource()) == "401 INVALID_PASSPORT", bytes(mutant)


def test_every_other_last_character_is_refused(forge: Forge):
    """A signature of 64 bytes leaves four spare bits in its last character: one spelling of sixteen is ours."""
    good = forge.token()
    for letter in "ABCDEFGHIJKLMNOPQRSTUVWXYZabcdefghijklmnopqrstuvwxyz0123456789-_":
        expected = "accepted" if letter == good[-1] else "401 INVALID_PASSPORT"
        assert refusal_of(good[:-1] + letter, v1_resource()) == expected


@pytest.mark.parametrize("presented", ["/mcp", "/mcp/claude", "/mcp/codex", "/mcp/openclaw", "/mcp/hermes", "/v1"])
@pytest.mark.parametrize("made_for", ["/mcp", "/mcp/claude", "/mcp/codex", "/v1"])
def test_a_passport_is_good_at_the_address_it_was_made_for_and_nowhere_else(made_for: str, presented: str):
    host = made_for.removeprefix("/mcp").removeprefix("/v1").strip("/")
    held = make_credential(make_agent(make_owner("ada"), host=host or "generic"), host=host)
    token = passport_for(held.credential, resource=settings.AGENTROOM_BASE_URL + made_for)
    found = refusal_of(token, settings.AGENTROOM_BASE_URL + presented)
    assert found == ("accepted" if presented == made_for else "401 INVALID_PASSPORT")
