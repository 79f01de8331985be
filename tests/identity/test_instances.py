"""Which instance calls: the passport's, else the argument's, else the credential's own; and when it was seen."""

from __future__ import annotations

import pytest
from django.db import DatabaseError

from agentroom.core.clock import db_now
from identity.actors import AgentActor
from identity.authentication import authenticate, v1_resource
from identity.models import Instance, Owner
from identity.operations import instances
from identity.operations.instances import Hints, forget_presence, note_presence, seen
from identity.queries import instances_of
from tests.factories import Held, human_of, make_agent, make_credential, make_owner, passport_for

pytestmark = pytest.mark.django_db


@pytest.fixture
def ada() -> Owner:
    return make_owner("ada")


@pytest.fixture
def held(ada: Owner) -> Held:
    return make_credential(make_agent(ada))


@pytest.fixture
def actor(held: Held) -> AgentActor:
    return authenticate(held.token, resource=v1_resource())


def test_without_a_word_it_is_the_default_instance_of_the_credential(actor: AgentActor):
    assert seen(actor, Hints()).instance_id == actor.credential_id
    assert Instance.objects.get(last_seen_at__isnull=False).is_default


def test_an_argument_names_another_instance(actor: AgentActor):
    assert seen(actor, Hints(instance_id="desk-2")).instance_id == "desk-2"
    assert not Instance.objects.get(name="desk-2").is_default


def test_the_passport_s_claim_outranks_the_argument(held: Held):
    actor = authenticate(passport_for(held.credential, instance_id="desk-1"), resource=v1_resource())
    assert seen(actor, Hints(instance_id="desk-2")).instance_id == "desk-1"
    assert not Instance.objects.filter(name="desk-2").exists()


def test_presence_is_written_now_and_then_only(actor: AgentActor, counting_queries):
    seen(actor, Hints(workspace="/src/harbour"))
    with counting_queries() as queries:
        seen(actor, Hints(workspace="/src/harbour"))
    assert len(queries) == 0
    forget_presence()
    before = db_now()
    seen(actor, Hints(workspace="/src/harbour"))
    assert Instance.objects.get(workspace="/src/harbour").last_seen_at >= before


def test_a_new_workspace_is_noted_at_once(actor: AgentActor):
    for workspace in ("/src/harbour", "/src/pier"):
        seen(actor, Hints(workspace=workspace))
    assert Instance.objects.get(name=actor.instance_id).workspace == "/src/pier"


def test_presence_that_cannot_be_written_refuses_no_call(actor: AgentActor, monkeypatch: pytest.MonkeyPatch):
    def fail(*_: object, **__: object) -> None:
        raise DatabaseError

    monkeypatch.setattr(instances, "note_presence", fail)
    assert seen(actor, Hints()).plate == actor.plate


def test_invented_names_are_bounded_and_the_default_instance_stays(
    held: Held, actor: AgentActor, monkeypatch: pytest.MonkeyPatch
):
    monkeypatch.setattr(instances, "INSTANCES_PER_AGENT", 3)
    for number in range(6):
        seen(actor, Hints(instance_id=f"made-up-{number}"))
    kept = set(Instance.objects.values_list("name", flat=True))
    assert kept == {held.credential.pk, "made-up-3", "made-up-4", "made-up-5"}


def test_the_page_lists_who_was_seen_and_says_who_is_live(ada: Owner, held: Held, actor: AgentActor):
    make_credential(held.credential.agent)  # never used: not listed
    note_presence(actor, workspace="/src/harbour")
    cards = instances_of(human_of(ada), held.credential.agent.plate).instances
    assert [(card.instance_id, card.workspace, card.live) for card in cards] == [
        (actor.instance_id, "/src/harbour", True)
    ]
