"""What a tool answers fits the output it declares, byte for byte the same at both doors, and within its bounds."""

from __future__ import annotations

import json
from typing import Any

import pytest

from agentroom.core.limits import RESULT_BYTES
from agentroom.core.schema import output_schema
from tests.clients import Answer, undone
from tests.contract import matrix, world
from tests.contract.fits import misfits

ROWS = [row for row in matrix.rows() if row.outcomes["room admin's agent"] == "ok"]
each_tool = pytest.mark.parametrize("row", ROWS, ids=lambda row: row.tool.name)


def ask(door: str, row: matrix.Row, scene: world.World) -> Answer:
    agent = scene.cast.scout
    with undone():
        arguments = world.filled(row.call, scene.own(agent))
        return world.as_agent(door, agent).call(row.tool.name, **arguments, instance_id=world.INSTANCE)


@each_tool
def test_an_answer_has_the_members_that_its_output_declares(row, door, scene):
    answer = ask(door, row, scene)
    assert answer.ok, answer.error
    found = list(misfits(answer.data, output_schema(row.tool.output), row.tool.name))
    assert not found, found


@each_tool
def test_both_doors_say_the_same(row, scene):
    first, second = (_shape(ask(door, row, scene).data) for door in ("mcp", "rest"))
    assert first == second


@each_tool
def test_an_answer_stays_within_its_bounds(row, door, scene):
    answer = ask(door, row, scene)
    assert len(json.dumps(answer.data).encode()) <= RESULT_BYTES
    assert b"null" not in answer.raw.replace(b'"null"', b""), "agents pay for every byte"


@each_tool
def test_every_answer_counts_the_waiting_mentions(row, door, scene):
    assert ask(door, row, scene).meta["pending_mentions"] >= 0


def _shape(value: Any) -> Any:
    """The answer with what is made anew at each call (ids, times) reduced to that it is there."""
    if isinstance(value, dict):
        return {key: _shape(item) for key, item in value.items()}
    if isinstance(value, list):
        return [_shape(item) for item in value]
    return "<text>" if isinstance(value, str) and (len(value) == 26 or value.endswith("Z")) else value
