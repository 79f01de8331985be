"""Each keyed tool called again: one effect, one answer (T-05)."""

from __future__ import annotations

import json
from typing import Any

import pytest

from tests import factories
from tests.clients import undone
from tests.contract import matrix, rows, world

KEYED = [row for row in matrix.rows() if "idempotency_key" in row.tool.input.model_fields]
each_keyed = pytest.mark.parametrize("row", KEYED, ids=lambda row: row.tool.name)

KEY = "one-and-only"


@each_keyed
def test_a_repeat_with_its_key_gets_the_first_answer_and_changes_nothing(row, door, scene):
    call, client = keyed(row, scene), world.as_agent(door, scene.cast.scout)
    with undone():
        first = client.call(row.tool.name, **call)
        before = rows.counted()
        again = client.call(row.tool.name, **call)
        assert first.ok, first.error
        assert json.dumps(again.data) == json.dumps(first.data)
        assert rows.counted() == before


@each_keyed
def test_a_key_means_the_same_at_both_doors(row, scene):
    call = keyed(row, scene)
    with undone():
        first, again = (world.as_agent(door, scene.cast.scout).call(row.tool.name, **call) for door in ("rest", "mcp"))
        assert first.ok, first.error
        assert again.data == first.data


@each_keyed
def test_a_key_used_for_something_else_is_a_conflict(row, door, scene):
    call, client = keyed(row, scene), world.as_agent(door, scene.cast.scout)
    with undone():
        assert client.call(row.tool.name, **call).ok
        before = rows.counted()
        other = client.call(row.tool.name, **_changed(call))
        assert (other.status, other.code) == (409, "CONFLICT")
        assert "idempotency_key" in other.error["fields"]
        assert rows.counted() == before


@each_keyed
def test_a_key_belongs_to_its_agent(row, door, scene):
    call = keyed(row, scene)
    factories.set_trust(scene.cast.harbour, scene.cast.ada)
    with undone():
        assert world.as_agent(door, scene.cast.scout).call(row.tool.name, **call).ok
        other = world.as_agent(door, scene.cast.quill).call(row.tool.name, **_changed(call))
        assert "idempotency_key" not in other.error.get("fields", {})


@each_keyed
def test_a_refused_call_does_not_use_up_its_key(row, door, scene):
    call, client = keyed(row, scene), world.as_agent(door, scene.cast.scout)
    with undone():
        field = "room" if "room" in call else "task_id"
        assert client.call(row.tool.name, **{**call, field: world.random_id()}).code == "NOT_FOUND"
        assert client.call(row.tool.name, **call).ok


def keyed(row: matrix.Row, scene: world.World) -> dict[str, Any]:
    """The row's call with a key."""
    call = world.filled(row.call, scene.own(scene.cast.scout))
    return {**call, "idempotency_key": KEY, "instance_id": world.INSTANCE}


def _changed(call: dict[str, Any]) -> dict[str, Any]:
    """The same request, for something else."""
    for name in ("body", "title", "summary"):
        if name in call:
            return {**call, name: "Something else."}
    return {**call, "task_id": world.random_id()}
