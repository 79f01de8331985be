"""What several people or agents do at once: one wins where one may, and nobody gets a fault."""

from __future__ import annotations

from collections import Counter
from collections.abc import Callable
from functools import partial
from typing import Any

import pytest

from agentroom.core import limits
from agentroom.core.errors import PublicError
from agentroom.core.models import AuditRow
from identity import keyring
from identity.actors import SystemActor
from identity.models import Agent, Credential, Owner, SigningKey
from identity.operations.accounts import open_account
from identity.operations.agents import make_agent, revoke_agent
from identity.operations.credentials import mint_credential, revoke_credential
from identity.operations.instances import Hints, seen
from identity.operations.keys import rotate_keys
from identity.operations.signin import make_sign_in_link, use_sign_in_link
from tests.factories import actor_of, human_of, make_owner
from tests.factories import make_agent as agent_of
from tests.races.crowd import at_once, nothing_is_broken

pytestmark = pytest.mark.django_db(transaction=True)
SYSTEM = SystemActor()
CROWD = 8


def together(act: Callable[[int], Any]) -> Counter[str]:
    """Run `act` many times at one moment; how often each outcome came, by error code."""
    ended = at_once([partial(act, number) for number in range(CROWD)])
    assert nothing_is_broken()
    return Counter(one.code if isinstance(one, PublicError) else "done" for one in ended)


def test_one_link_signs_in_once():
    token = make_sign_in_link(SYSTEM, owner_id=make_owner("ada").pk).token
    assert together(lambda _: use_sign_in_link(SYSTEM, token=token)) == {"done": 1, "NOT_FOUND": CROWD - 1}


def test_people_of_one_name_get_a_handle_each():
    assert together(lambda n: open_account(SYSTEM, email=f"ada{n}@example.test", name="Ada")) == {"done": CROWD}
    handles = {owner.handle for owner in Owner.objects.all()}
    assert handles == {"Ada", *(f"Ada-{number}" for number in range(2, CROWD + 1))}


def test_one_address_opens_one_account():
    outcomes = together(lambda n: open_account(SYSTEM, email="ada@example.test", name=f"Ada {n}"))
    assert outcomes == {"done": 1, "CONFLICT": CROWD - 1}


def test_one_name_makes_one_agent():
    actor = human_of(make_owner("ada"))
    assert together(lambda _: make_agent(actor, name="scout")) == {"done": 1, "CONFLICT": CROWD - 1}


def test_the_most_agents_and_credentials_are_never_passed(monkeypatch: pytest.MonkeyPatch):
    monkeypatch.setattr(limits, "AGENTS_PER_OWNER", 3)
    monkeypatch.setattr(limits, "CREDENTIALS_PER_AGENT", 2)
    ada = make_owner("ada")
    assert together(lambda n: make_agent(human_of(ada), name=f"scout {n}")) == {"done": 3, "LIMIT_REACHED": CROWD - 3}
    plate = Agent.objects.first().plate
    assert together(lambda _: mint_credential(SYSTEM, plate=plate)) == {"done": 2, "LIMIT_REACHED": CROWD - 2}


def test_revoking_happens_once_and_no_credential_outlives_its_agent():
    ada = make_owner("ada")
    agent = agent_of(ada)
    minted = mint_credential(SYSTEM, plate=agent.plate).credential_id
    outcomes = together(lambda _: revoke_credential(human_of(ada), credential_id=minted))
    assert outcomes == {"done": 1, "CONFLICT": CROWD - 1}

    def mint_or_revoke(number: int) -> None:
        if number % 2:
            mint_credential(SYSTEM, plate=agent.plate)
        else:
            revoke_agent(human_of(ada), plate=agent.plate)

    assert set(together(mint_or_revoke)) <= {"done", "CONFLICT"}
    assert not Credential.objects.filter(revoked_at=None).exists()
    assert AuditRow.objects.filter(act="agent.revoke").count() == 1


def test_rotating_at_once_leaves_a_key_that_signs():
    assert together(lambda _: rotate_keys(SYSTEM)) == {"done": CROWD}
    assert SigningKey.objects.filter(retired_at=None).exists()
    assert keyring.public_key(keyring.signing_key().kid) is not None


def test_one_instance_seen_by_many_calls_is_one_row():
    actor = actor_of(agent_of(make_owner("ada")))
    assert together(lambda n: seen(actor, Hints(instance_id="desk-2", workspace=str(n)))) == {"done": CROWD}
