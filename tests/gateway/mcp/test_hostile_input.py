"""No input yields a 5xx, whatever it is made of, and every answer keeps to the protocol (T-14, AR-2.8)."""

from __future__ import annotations

import json
from typing import Any

import pytest
from django.db import connection
from hypothesis import HealthCheck, given, settings
from hypothesis import strategies as st

from agentroom.core.contract import registry
from agentroom.core.schema import input_schema
from rooms.models import Message
from tests import factories
from tests.gateway.mcp.wire import META, MODERN, Caller, Heard, headers_of, legacy, modern

EXAMPLES = 100
FUZZ = settings(
    max_examples=EXAMPLES,
    deadline=None,
    database=None,
    suppress_health_check=[HealthCheck.function_scoped_fixture, HealthCheck.too_slow, HealthCheck.data_too_large],
)

texts = st.text(max_size=40) | st.sampled_from(["\0", "\ud800", "‮", "x" * 2_000, "2026-07-28", "tools/call", ""])
numbers = st.integers() | st.floats() | st.sampled_from([2**63, -(2**63), 10**400, 1e308])
json_values = st.recursive(
    st.none() | st.booleans() | numbers | texts,
    lambda inner: st.lists(inner, max_size=4) | st.dictionaries(texts, inner, max_size=4),
    max_leaves=12,
)
methods = st.sampled_from(
    ["tools/call", "tools/list", "server/discover", "initialize", "ping", "notifications/cancelled", "resources/read"]
)
bodies = st.fixed_dictionaries(
    {},
    optional={
        "jsonrpc": st.just("2.0") | json_values,
        "id": st.integers(0, 9) | json_values,
        "method": methods | json_values,
        "params": st.fixed_dictionaries(
            {},
            optional={
                "name": st.sampled_from(["list_rooms", "send_message"]) | json_values,
                "arguments": json_values,
                "cursor": json_values,
                "protocolVersion": json_values,
                "_meta": st.just(META) | json_values,
            },
        )
        | json_values,
        "result": json_values,
    },
)
header_names = st.sampled_from(
    [
        "MCP-Protocol-Version",
        "Mcp-Method",
        "Mcp-Name",
        "Mcp-Param-X",
        "Origin",
        "Accept",
        "Content-Type",
        "Authorization",
    ]
)
header_values = st.sampled_from(
    [MODERN, "2025-11-25", "tools/call", "list_rooms", "*/*", "application/json", "=?base64?eA==?=", "null"]
) | st.text(st.characters(min_codepoint=32, max_codepoint=255), max_size=30)


@pytest.fixture(autouse=True)
def _patient_database(db):
    """A test's one transaction waits while examples are made up, on a busy machine for longer than a product may."""
    if connection.vendor == "postgresql":
        with connection.cursor() as cursor:
            cursor.execute("SET LOCAL idle_in_transaction_session_timeout = 0")


def keeps_to_the_protocol(heard: Heard) -> None:
    assert heard.status < 500, heard
    if heard.status == 202:
        assert heard.raw == b""
        return
    body = heard.json
    if heard.status in {401, 403, 404, 405, 406, 413, 415} and "jsonrpc" not in body:
        assert {"code", "status", "message", "error_id", "request_id"} <= set(body["error"])
        return
    assert body["jsonrpc"] == "2.0"
    assert ("result" in body) != ("error" in body)
    if "error" in body:
        assert isinstance(body["error"]["code"], int)
        assert body["error"]["message"]


@FUZZ
@given(body=st.binary(max_size=400))
def test_any_bytes(caller, body):
    keeps_to_the_protocol(caller.send(body))


@FUZZ
@given(body=json_values)
def test_any_json(caller, body):
    keeps_to_the_protocol(caller.send(json.dumps(body).encode()))


@FUZZ
@given(body=bodies, version=st.sampled_from([None, MODERN, "2025-11-25", "1999"]))
def test_anything_that_looks_like_a_request(caller, body, version):
    keeps_to_the_protocol(caller.send(json.dumps(body).encode(), mcp_protocol_version=version))


@FUZZ
@given(lines=st.lists(st.tuples(header_names, header_values), max_size=6))
def test_any_headers_around_a_good_body(caller, lines):
    body = modern("tools/call", {"name": "list_rooms", "arguments": {}})
    keeps_to_the_protocol(caller.send(json.dumps(body).encode(), **headers_of(body), more=lines))


@FUZZ
@given(token=st.text(st.characters(min_codepoint=32, max_codepoint=255), max_size=80), as_key=st.booleans())
def test_any_token(stranger, token, as_key):
    heard = stranger.send(b"", query=f"key={token}") if as_key else stranger.ask(legacy("ping"), authorization=token)
    assert heard.status == 401


@FUZZ
@given(query=st.text(st.characters(min_codepoint=32, max_codepoint=255), max_size=80))
def test_any_query(caller, query):
    heard = caller.send(json.dumps(legacy("ping")).encode(), query=query)
    assert heard.status == 200


def arguments_of(schema: dict[str, Any], ids: list[str]) -> st.SearchStrategy[Any]:
    """Near-valid arguments: known names with wanted, odd or hostile values, and now and then an unknown name."""
    known = {
        name: _wanted(field, ids) | _wanted(field, ids) | json_values for name, field in schema["properties"].items()
    }
    near = st.fixed_dictionaries({}, optional={**known, "unknown": json_values})
    whole = st.fixed_dictionaries(
        {name: _wanted(schema["properties"][name], ids) for name in schema.get("required", [])}
    )
    return near | whole | st.builds(lambda a, b: {**a, **b}, whole, near) | json_values


def _wanted(field: dict[str, Any], ids: list[str]) -> st.SearchStrategy[Any]:
    if "enum" in field:
        return st.sampled_from(field["enum"])
    if "anyOf" in field:
        return st.one_of([_wanted(choice, ids) for choice in field["anyOf"]])
    kind = field.get("type")
    if kind == "integer":
        return st.integers(-2, 300) | st.integers()
    if kind == "boolean":
        return st.booleans()
    if kind == "array":
        return st.lists(_wanted(field.get("items", {}), ids), max_size=4)
    if kind == "object":
        inner = field.get("properties", {})
        return st.fixed_dictionaries({}, optional={name: _wanted(value, ids) for name, value in inner.items()})
    return st.sampled_from([*ids, "x" * 40_000]) | texts


@pytest.mark.parametrize("tool", [record.name for record in registry.records()])
def test_any_arguments_of_any_tool(cast, tool):
    record = registry.get(tool)
    schema = input_schema(record.input) if hasattr(record, "input") else {"properties": {}}
    ids = [cast.harbour.pk, cast.scout.plate, cast.quill.plate, "0" * 26, "@scout(ada)"]
    caller = Caller(factories.token_for(cast.quill))

    @settings(FUZZ, max_examples=40)
    @given(arguments=arguments_of(schema, ids))
    def runs(arguments: Any) -> None:
        body = legacy("tools/call", {"name": tool, "arguments": arguments})
        heard = caller.send(json.dumps(body).encode())
        keeps_to_the_protocol(heard)
        if "result" in heard.json:
            error = heard.result["structuredContent"].get("error", {})
            assert error.get("code") not in {"INTERNAL", "UNAVAILABLE", "STORAGE_FULL"}, (arguments, error)

    runs()


@pytest.mark.parametrize("at", range(0, 512, 64))
def test_a_caller_that_goes_away_in_the_middle_leaves_nothing_behind(quill, harbour, cast, at):
    body = modern("tools/call", {"name": "send_message", "arguments": {"room": harbour.pk, "body": "x" * 400}})
    raw = json.dumps(body).encode()
    assert Caller(factories.token_for(quill)).hang_up(raw[:at], **headers_of(body)) is None
    assert Message.objects.count() == 0
