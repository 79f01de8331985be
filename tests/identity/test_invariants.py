"""Each invariant finds what it is there to find, and nothing in a healthy database."""

from __future__ import annotations

from collections.abc import Callable

import pytest

from agentroom.core import invariants
from agentroom.core.clock import db_now
from identity import keyring
from identity.actors import SystemActor
from identity.models import Agent, Credential, Instance, Owner, SigningKey
from identity.operations.keys import rotate_keys
from identity.operations.signin import make_sign_in_link
from tests.factories import make_agent, make_credential, make_owner

pytestmark = [pytest.mark.django_db, pytest.mark.damages]


@pytest.fixture(autouse=True)
def _something_to_look_at() -> None:
    ada, grace = make_owner("ada"), make_owner("grace")
    for owner in (ada, grace):
        make_credential(make_agent(owner))
    keyring.signing_key()
    rotate_keys(SystemActor())
    make_sign_in_link(SystemActor(), owner_id=ada.pk)


def found() -> list[str]:
    return [finding for _, finding in invariants.findings()]


def test_a_healthy_database_has_no_findings():
    assert found() == []


def swap_instances() -> None:
    agents = list(Agent.objects.all())
    Instance.objects.filter(agent=agents[0]).update(agent=agents[1])


@pytest.mark.parametrize(
    ("harm", "words"),
    [
        (lambda: Agent.objects.update(revoked_at=db_now()), "live although its agent is revoked"),
        (lambda: Owner.objects.update(deleted_at=db_now(), is_active=False), "live although its owner"),
        (lambda: Owner.objects.update(deleted_at=db_now()), "deleted but active"),
        (lambda: Instance.objects.update(is_default=False), "not exactly one default instance"),
        (swap_instances, "belongs to one agent and its credential to another"),
        (lambda: Owner.objects.filter(name="ada").update(handle="eve"), "another handle than it shows"),
        (lambda: Agent.objects.filter(owner__name="ada").update(name="eve"), "another name than it shows"),
        (lambda: SigningKey.objects.update(private_encrypted=b"x"), "keeps its private half"),
        (lambda: Credential.objects.first().instances.all().delete(), "not exactly one default instance"),
    ],
)
def test_harm_is_found(harm: Callable[[], object], words: str):
    harm()
    assert any(words in finding for finding in found())
