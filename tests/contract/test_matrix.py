"""Every tool × every caller × whose record it is, against the checked-in table (T-12)."""

from __future__ import annotations

import json
from typing import Any

import pytest
from django.test import Client

from agentroom.core.contract import Retired, registry
from agentroom.core.scopes import ALL
from identity.models import Agent
from tests import factories
from tests.clients import Answer, McpClient, RestClient, undone
from tests.contract import matrix, world
from tests.contract.matrix import Row
from tests.contract.world import World

ROWS = matrix.rows()
each_tool = pytest.mark.parametrize("row", ROWS, ids=lambda row: row.tool.name)


def test_every_tool_has_a_row_and_every_row_a_tool():
    assert matrix.names() == {record.name for record in registry.records()}


@each_tool
def test_strangers_are_told_nothing(row: Row, door: str, scene: World):
    names = scene.own(scene.cast.scout)
    for who, token in world.strangers(scene, door).items():
        answer = world.client(door, token).call(row.tool.name, **world.filled(row.call, names))
        expected = matrix.stranger(who, door)
        assert outcome(answer) == (row.outcomes["room admin's agent"] if expected == "ok" else expected), who


@each_tool
def test_a_browser_session_opens_no_tool(row: Row, scene: World):
    for owner in (scene.mallory, scene.cast.grace, scene.cast.ada, factories.make_owner("clerk", is_staff=True)):
        browser = Client(raise_request_exception=False)
        browser.force_login(owner)
        answer = browser.post(f"/v1/tools/{row.tool.name}", {}, content_type="application/json")
        assert answer.json()["error"]["code"] == matrix.stranger("signed-in person", "rest")


@each_tool
def test_a_passport_without_the_scope_is_refused_before_anything_else(row: Row, door: str, scene: World):
    client = world.as_agent(door, scene.cast.scout, scopes=ALL & ~row.tool.scope)
    for arguments in ({}, {"nonsense": 1}, world.filled(row.call, scene.own(scene.cast.scout))):
        answer = client.call(row.tool.name, **arguments)
        assert outcome(answer) == "FORBIDDEN_SCOPE"
        assert answer.error["scope"] == row.tool.scope.name


@each_tool
def test_each_agent_gets_what_the_table_says(row: Row, door: str, scene: World):
    found = {}
    for who in matrix.AGENTS:
        agent = standing(scene, who)
        found[who] = outcome(attempt(door, agent, row, world.filled(row.call, scene.own(agent))))
        factories.set_trust(scene.cast.harbour, scene.cast.ada, on=False)
    assert found == row.outcomes


@each_tool
def test_a_foreign_record_an_absent_one_and_no_id_at_all_give_away_nothing(row: Row, door: str, scene: World):
    agent = scene.cast.scout
    names = scene.own(agent)
    for field, expected in row.ids.items():
        call = world.filled(row.call, names)
        theirs, nobodys = world.filled(row.call[field], scene.foreign), _in_place_of(row.call[field], world.random_id())
        foreign = attempt(door, agent, row, {**call, field: theirs})
        absent = attempt(door, agent, row, {**call, field: nobodys})
        malformed = attempt(door, agent, row, {**call, field: _in_place_of(row.call[field], world.MALFORMED)})
        found = {"foreign": outcome(foreign), "absent": outcome(absent), "malformed": outcome(malformed)}
        assert found == expected, field
        assert anonymous(foreign, theirs) == anonymous(absent, nobodys), f"a foreign {field} shows"


@each_tool
def test_an_outsider_cannot_tell_what_exists(row: Row, door: str, scene: World):
    """The same call on a room the caller is not in, and on one that is not there."""
    if not row.ids:
        return
    for agent in (scene.drift, scene.stray):
        call = world.filled(row.call, scene.own(scene.cast.scout))
        absent = {field: _in_place_of(row.call[field], world.random_id()) for field in row.ids}
        there, nowhere = (attempt(door, agent, row, given) for given in (call, {**call, **absent}))
        assert anonymous(there) == anonymous(nowhere)


@pytest.mark.parametrize("name", matrix.TABLE["retired"])
def test_a_retired_tool_answers_the_same_whatever_it_is_asked(name: str, door: str, scene: World):
    assert isinstance(registry.get(name), Retired)
    for agent in (scene.cast.scout, scene.cast.quill, scene.stray):
        for arguments in ({}, {"task_id": scene.names["pool"], "assignee": agent.plate}, {"nonsense": [1]}):
            answer = world.as_agent(door, agent).call(name, **arguments)
            assert outcome(answer) == matrix.TABLE["retired"][name]


def standing(scene: World, who: str) -> Agent:
    """The agent that this column of the table means, with ada's Trust as the column says."""
    factories.set_trust(scene.cast.harbour, scene.cast.ada, on=who == "member trusted")
    return {
        "same-owner outsider": scene.drift,
        "other-owner outsider": scene.stray,
        "room admin's agent": scene.cast.scout,
    }.get(who, scene.cast.quill)


def attempt(door: str, agent: Agent, row: Row, arguments: dict[str, Any]) -> Answer:
    """One call whose effects are undone, so that the next one finds the same scene."""
    client: McpClient | RestClient = world.as_agent(door, agent)
    with undone():
        return client.call(row.tool.name, **arguments, instance_id=world.INSTANCE)


def outcome(answer: Answer) -> str:
    assert answer.status < 500, answer.error
    return "ok" if answer.ok else answer.code


def anonymous(answer: Answer, given: Any = None) -> dict[str, Any]:
    """The answer without what differs from call to call; an id that the caller gave itself tells it nothing."""
    if answer.ok:
        return answer.data
    error = {key: value for key, value in answer.error.items() if key not in {"request_id", "error_id"}}
    error["next_action"] = error.get("next_action", {}).get("tool")
    text = json.dumps(error)
    for value in given if isinstance(given, list) else [given]:
        text = text.replace(str(value), "<given>")
    return json.loads(text)


def _in_place_of(template: Any, value: str) -> Any:
    return [value] if isinstance(template, list) else value
