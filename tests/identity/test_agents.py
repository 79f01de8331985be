"""Agents of a person: made, renamed, told what they may do, revoked; each change with its audit row."""

from __future__ import annotations

from typing import Any

import pytest

from agentroom.core import limits
from agentroom.core.audit import SERVER, first_broken
from agentroom.core.errors import Conflict, LimitReached, NotFound, Validation
from agentroom.core.models import AuditRow
from identity import departures
from identity.models import Agent, Owner
from identity.operations import agents
from identity.operations.agents import make_agent, rename_agent, revoke_agent, set_host, set_scopes
from identity.queries import agent_card, agents_of
from tests.factories import human_of, make_owner

pytestmark = pytest.mark.django_db


@pytest.fixture
def ada() -> Owner:
    return make_owner("ada")


def test_a_new_agent_has_a_plate_the_default_scopes_and_its_owner_s_verification(ada: Owner):
    card = make_agent(human_of(ada), name="Scout", host="claude")
    assert card.plate.startswith("BRNL-AGT-")
    assert card.scopes == ["READ", "WRITE", "UPLOAD", "DOWNLOAD"]
    assert (card.owner, card.host, card.verified, card.may_turn_trust_on) == ("ada", "claude", True, False)
    assert not make_agent(human_of(make_owner("grace", verified=False)), name="Scout").verified


@pytest.mark.parametrize("name", ["scout", "SCOUT", "Scout"])
def test_a_name_is_used_once_per_person_however_it_is_written(ada: Owner, name: str):
    make_agent(human_of(ada), name="scout")
    with pytest.raises(Conflict) as refusal:
        make_agent(human_of(ada), name=name)
    assert list(refusal.value.fields) == ["name"]
    make_agent(human_of(make_owner("grace")), name=name)


def test_the_name_of_a_revoked_agent_stays_taken(ada: Owner):
    revoke_agent(human_of(ada), plate=make_agent(human_of(ada), name="scout").plate)
    with pytest.raises(Conflict):
        make_agent(human_of(ada), name="scout")


def test_renaming_keeps_the_plate_and_may_change_the_case_alone(ada: Owner):
    plate = make_agent(human_of(ada), name="scout").plate
    assert rename_agent(human_of(ada), plate=plate, name="Scout").name == "Scout"
    assert rename_agent(human_of(ada), plate=plate, name="ranger").plate == plate
    other = make_agent(human_of(ada), name="scout")
    with pytest.raises(Conflict):
        rename_agent(human_of(ada), plate=other.plate, name="Ranger")


def test_scopes_are_set_exactly_as_given(ada: Owner):
    plate = make_agent(human_of(ada), name="scout").plate
    assert set_scopes(human_of(ada), plate=plate, scopes=["INVOKE", "READ"]).scopes == ["READ", "INVOKE"]
    assert set_scopes(human_of(ada), plate=plate, scopes=[]).scopes == []
    with pytest.raises(Validation, match="scope"):
        set_scopes(human_of(ada), plate=plate, scopes=["ROOT"])
    row = AuditRow.objects.filter(act="agent.scopes").order_by("seq")[0]
    assert (row.before["scopes"], row.after["scopes"]) == (
        ["READ", "WRITE", "UPLOAD", "DOWNLOAD"],
        ["READ", "INVOKE"],
    )


def test_an_agent_may_be_allowed_to_turn_trust_on(ada: Owner):
    plate = make_agent(human_of(ada), name="scout").plate
    assert agents.set_may_turn_trust_on(human_of(ada), plate=plate, allowed=True).may_turn_trust_on
    assert not agents.set_may_turn_trust_on(human_of(ada), plate=plate, allowed=False).may_turn_trust_on


def test_only_known_hosts_are_taken(ada: Owner):
    plate = make_agent(human_of(ada), name="scout").plate
    assert set_host(human_of(ada), plate=plate, host="codex").host == "codex"
    with pytest.raises(Validation):
        set_host(human_of(ada), plate=plate, host="netscape")
    with pytest.raises(Validation):
        make_agent(human_of(ada), name="other", host="netscape")


@pytest.mark.parametrize(
    ("change", "arguments"),
    [
        (rename_agent, {"name": "mine"}),
        (set_scopes, {"scopes": ["READ"]}),
        (set_host, {"host": "codex"}),
        (agents.set_may_turn_trust_on, {"allowed": True}),
        (revoke_agent, {}),
    ],
)
def test_another_s_agent_is_not_found_and_a_revoked_one_is_final(ada: Owner, change: Any, arguments: dict[str, Any]):
    plate = make_agent(human_of(ada), name="scout").plate
    with pytest.raises(NotFound):
        change(human_of(make_owner("grace")), plate=plate, **arguments)
    revoke_agent(human_of(ada), plate=plate)
    with pytest.raises(Conflict, match="final"):
        change(human_of(ada), plate=plate, **arguments)


def test_there_is_a_most_and_revoking_makes_room(ada: Owner, monkeypatch: pytest.MonkeyPatch):
    monkeypatch.setattr(limits, "AGENTS_PER_OWNER", 1)
    plate = make_agent(human_of(ada), name="scout").plate
    with pytest.raises(LimitReached) as refusal:
        make_agent(human_of(ada), name="ranger")
    assert refusal.value.facts == {"limit": 1}
    revoke_agent(human_of(ada), plate=plate)
    make_agent(human_of(ada), name="ranger")


def test_revoking_tells_the_apps_above_in_the_same_transaction(ada: Owner, monkeypatch: pytest.MonkeyPatch):
    plate = make_agent(human_of(ada), name="scout").plate

    def refuse(actor: Any, agent_id: str) -> None:
        assert agent_id == Agent.objects.get(plate=plate).pk
        raise Conflict("not now")

    monkeypatch.setattr(departures, "_agent_steps", [refuse])
    with pytest.raises(Conflict, match="not now"):
        revoke_agent(human_of(ada), plate=plate)
    assert Agent.objects.get(plate=plate).revoked_at is None
    assert not AuditRow.objects.filter(act="agent.revoke").exists()


def test_the_list_shows_those_at_work_first(ada: Owner):
    one, two, three = (make_agent(human_of(ada), name=name).plate for name in ("one", "two", "three"))
    make_agent(human_of(make_owner("grace")), name="four")
    revoke_agent(human_of(ada), plate=three)
    assert [card.plate for card in agents_of(human_of(ada)).agents] == [two, one, three]
    assert agent_card(human_of(ada), one).name == "one"


def test_every_change_is_one_row_of_an_unbroken_chain_without_a_name_in_it(ada: Owner):
    plate = make_agent(human_of(ada), name="Sesame").plate
    rename_agent(human_of(ada), plate=plate, name="Poppy")
    set_host(human_of(ada), plate=plate, host="codex")
    set_scopes(human_of(ada), plate=plate, scopes=["READ"])
    agents.set_may_turn_trust_on(human_of(ada), plate=plate, allowed=True)
    revoke_agent(human_of(ada), plate=plate)
    rows = AuditRow.objects.filter(chain=SERVER, record_id=plate).order_by("seq")
    assert [row.act for row in rows] == [
        "agent.make",
        "agent.rename",
        "agent.host",
        "agent.scopes",
        "agent.may_turn_trust_on",
        "agent.revoke",
    ]
    assert {row.actor_key for row in rows} == {f"human:{ada.pk}"}
    assert not any(name in str(list(rows.values())) for name in ("Sesame", "Poppy"))
    assert first_broken(SERVER) is None
