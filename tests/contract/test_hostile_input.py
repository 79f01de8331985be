"""Input that no tool may take: each gets a clear refusal in the caller's words, and nothing is stored (V2)."""

from __future__ import annotations

import json
from typing import Any

import pytest

from agentroom.core.schema import input_schema
from agentroom.gateway.codes import codes
from tests.clients import Answer
from tests.contract import matrix, rows, world
from tests.contract.matrix import Row

each_tool = pytest.mark.parametrize("row", matrix.rows(), ids=lambda row: row.tool.name)
CODES = {kind.code for kind in codes()}
MIB = 1024 * 1024

# One value of every kind of JSON, so that each field meets what it is not.
VALUES: dict[str, Any] = {
    "string": "text",
    "integer": 7,
    "number": 1.5,
    "boolean": True,
    "null": None,
    "array": [["deep"]],
    "object": {"nonsense": 1},
}


@pytest.fixture
def client(door: str, scene):
    return world.as_agent(door, scene.cast.scout)


@each_tool
def test_an_unknown_argument_is_refused_by_name(row: Row, scene, client):
    arguments = {**world.filled(row.call, scene.own(scene.cast.scout)), "priority": "high"}
    answer = refused(client.call(row.tool.name, **arguments))
    assert answer.code == "VALIDATION"
    assert "priority" in answer.error["fields"]
    assert "priority" in answer.error["message"]


@each_tool
def test_a_missing_argument_is_named(row: Row, scene, client):
    call = world.filled(row.call, scene.own(scene.cast.scout))
    for name in input_schema(row.tool.input).get("required", []):
        answer = refused(client.call(row.tool.name, **{key: value for key, value in call.items() if key != name}))
        assert answer.error["fields"][name] == "required"


@each_tool
def test_a_value_of_the_wrong_kind_is_refused_by_name(row: Row, scene, client):
    call = world.filled(row.call, scene.own(scene.cast.scout))
    before = rows.counted()
    for name, schema in input_schema(row.tool.input)["properties"].items():
        for value in wrong_for(schema):
            answer = refused(client.call(row.tool.name, **{**call, name: value}))
            assert answer.code == "VALIDATION"
            assert any(field.partition(".")[0] == name for field in answer.error["fields"]), (name, value)
    assert rows.counted() == before


@each_tool
def test_bodies_that_are_no_honest_json_are_refused(row: Row, scene, client):
    before = rows.counted()
    for what, body in dishonest(world.filled(row.call, scene.own(scene.cast.scout))).items():
        answer = client.call_raw(row.tool.name, body)
        assert 400 <= answer.status < 500, (what, answer)
        assert not answer.ok, what
        # Refused for what it is, and not because the tool happens to take no such argument.
        assert b"unknown argument" not in answer.raw, what
    assert rows.counted() == before


@each_tool
def test_a_body_of_two_mebibytes_is_too_large(row: Row, client):
    before = rows.counted()
    answer = client.call_raw(row.tool.name, json.dumps({"padding": "x" * 2 * MIB}).encode())
    assert (answer.status, answer.code) == (413, "TOO_LARGE")
    assert rows.counted() == before


@each_tool
def test_arguments_that_are_no_object_are_refused(row: Row, door: str, client):
    for body in (b"[]", b'"text"', b"7", b"true"):
        answer = client.call_raw(row.tool.name, body)
        assert 400 <= answer.status < 500
        assert door == "mcp" or answer.code == "VALIDATION"


def refused(answer: Answer) -> Answer:
    """A refusal with all that a refusal must say."""
    assert not answer.ok, answer.data
    assert 400 <= answer.status < 500
    assert answer.code in CODES
    assert answer.error["error_id"].startswith("err_")
    assert answer.error["docs_url"].endswith(f"#{answer.code}")
    assert len(answer.error["message"]) > 20
    return answer


def wrong_for(schema: dict[str, Any]) -> list[Any]:
    """A value of each kind that `schema` does not take. A null means "left out", and is taken where that is."""
    choices = schema.get("anyOf", [schema])
    taken = {choice.get("type", "string") for choice in choices} | {"null"}
    return [value for kind, value in VALUES.items() if kind not in taken]


def dishonest(arguments: dict[str, Any]) -> dict[str, bytes]:
    """The same arguments with one thing added that makes them no plain, bounded, unambiguous JSON."""
    inside = json.dumps(arguments).encode()[1:-1]
    comma = b"," if inside else b""

    def with_member(member: bytes) -> bytes:
        return b"{" + inside + comma + member + b"}"

    return {
        "a NUL": with_member(b'"note":"a\\u0000b"'),
        "a raw NUL": with_member(b'"note":"a\x00b"'),
        "a lone surrogate": with_member(b'"note":"\\ud800"'),
        "bytes that are no UTF-8": with_member(b'"note":"\xff"'),
        "a number beyond all columns": with_member(b'"note":1' + b"0" * 400),
        "an exponent beyond all numbers": with_member(b'"note":1e400'),
        "an integer of 65 bits": with_member(b'"note":18446744073709551616'),
        "not a number": with_member(b'"note":NaN'),
        "a hundred thousand brackets": with_member(b'"note":' + b"[" * 100_000 + b"]" * 100_000),
        "forty levels": with_member(b'"note":' + b"[" * 40 + b"]" * 40),
        "more values than anyone needs": with_member(b'"note":[' + b"1," * 20_000 + b"1]"),
        "one key twice": with_member(b'"note":1,"note":2'),
        "a broken end": b"{" + inside,
    }
