"""Each changing tool called again, and many times at once: one effect, one answer, and no fault (T-05)."""

from __future__ import annotations

import json
from typing import Any

import pytest

from agentroom.gateway import dispatch
from agentroom.gateway.codes import codes
from tests import factories
from tests.clients import undone
from tests.conftest import make_cast
from tests.contract import matrix, rows, world
from tests.races.crowd import at_once, nothing_is_broken

CHANGING = [row for row in matrix.rows() if not row.tool.read_only]
KEYED = [row for row in CHANGING if "idempotency_key" in row.tool.input.model_fields]
each_keyed = pytest.mark.parametrize("row", KEYED, ids=lambda row: row.tool.name)
each_changing = pytest.mark.parametrize("row", CHANGING, ids=lambda row: row.tool.name)

KEY = "one-and-only"
AT_ONCE = 4
CODES = {kind.code for kind in codes()}


@each_keyed
def test_a_repeat_with_its_key_gets_the_first_answer_and_changes_nothing(row, door, scene):
    call, client = _call(row, scene), world.as_agent(door, scene.cast.scout)
    with undone():
        first = client.call(row.tool.name, **call)
        before = rows.counted()
        again = client.call(row.tool.name, **call)
        assert first.ok, first.error
        assert json.dumps(again.data) == json.dumps(first.data)
        assert rows.counted() == before


@each_keyed
def test_a_key_means_the_same_at_both_doors(row, scene):
    call = _call(row, scene)
    with undone():
        first, again = (world.as_agent(door, scene.cast.scout).call(row.tool.name, **call) for door in ("rest", "mcp"))
        assert first.ok, first.error
        assert again.data == first.data


@each_keyed
def test_a_key_used_for_something_else_is_a_conflict(row, door, scene):
    call, client = _call(row, scene), world.as_agent(door, scene.cast.scout)
    with undone():
        assert client.call(row.tool.name, **call).ok
        before = rows.counted()
        other = client.call(row.tool.name, **_changed(call))
        assert (other.status, other.code) == (409, "CONFLICT")
        assert "idempotency_key" in other.error["fields"]
        assert rows.counted() == before


@each_keyed
def test_a_key_belongs_to_its_agent(row, door, scene):
    call = _call(row, scene)
    factories.set_trust(scene.cast.harbour, scene.cast.ada)
    with undone():
        assert world.as_agent(door, scene.cast.scout).call(row.tool.name, **call).ok
        other = world.as_agent(door, scene.cast.quill).call(row.tool.name, **_changed(call))
        assert "idempotency_key" not in other.error.get("fields", {})


@each_keyed
def test_a_refused_call_does_not_use_up_its_key(row, door, scene):
    call, client = _call(row, scene), world.as_agent(door, scene.cast.scout)
    with undone():
        field = "room" if "room" in call else "task_id"
        assert client.call(row.tool.name, **{**call, field: world.random_id()}).code == "NOT_FOUND"
        assert client.call(row.tool.name, **call).ok


@each_keyed
@pytest.mark.django_db(transaction=True)
def test_many_calls_with_one_key_have_one_effect(row, settings):
    scene = _fresh(settings)
    actor, call = factories.actor_of(scene.cast.scout, instance_id=world.INSTANCE), _call(row, scene)
    before = rows.counted()
    replies = at_once([lambda: dispatch.call(actor, row.tool.name, call, request_id="req_1")] * AT_ONCE)
    assert [reply.ok for reply in replies] == [True] * AT_ONCE, replies
    assert len({reply.text for reply in replies}) == 1
    _require_one_effect(before, rows.counted())
    assert nothing_is_broken()


@each_changing
@pytest.mark.django_db(transaction=True)
def test_many_calls_at_once_are_each_answered(row, settings):
    scene = _fresh(settings)
    actor = factories.actor_of(scene.cast.scout, instance_id=world.INSTANCE)
    call = world.filled(row.call, scene.own(scene.cast.scout))
    replies = at_once([lambda: dispatch.call(actor, row.tool.name, call, request_id="req_1")] * AT_ONCE)
    for reply in replies:
        assert reply.ok or reply.data["error"]["code"] in CODES - {"INTERNAL", "UNAVAILABLE"}, reply
    assert nothing_is_broken()


def _call(row: matrix.Row, scene: world.World) -> dict[str, Any]:
    call = world.filled(row.call, scene.own(scene.cast.scout))
    return {**call, "idempotency_key": KEY, "instance_id": world.INSTANCE}


def _changed(call: dict[str, Any]) -> dict[str, Any]:
    """The same request, for something else."""
    for name in ("body", "title", "summary"):
        if name in call:
            return {**call, name: "Something else."}
    return {**call, "task_id": world.random_id()}


def _fresh(settings: Any) -> world.World:
    settings.RATE_LIMITS_ENABLED = False
    return world.build(make_cast())


def _require_one_effect(before: dict[str, int], after: dict[str, int]) -> None:
    added = {table: after[table] - before[table] for table in after if after[table] != before[table]}
    assert added["core_idempotentreceipt"] == 1
    records = {"rooms_message", "rooms_mention", "tasks_task", "tasks_taskrecord", "tasks_taskhold"} & added.keys()
    assert records, added
    assert all(added[table] == 1 for table in records), added
