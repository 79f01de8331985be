"""What `tools/list` shows: lean, stable, only what the passport can use, nothing that breaks a client (mcp.md 6)."""

from __future__ import annotations

import json
import re
from collections.abc import Iterator
from typing import Any

import pytest

from agentroom.core.contract import registry
from agentroom.core.schema import describe, listing_digest
from agentroom.core.scopes import ALL, Scope
from agentroom.gateway import dispatch, openapi
from tests import factories
from tests.clients import LEGACY, MODERN, McpClient

LISTED = [describe(tool) for tool in registry.tools() if tool.listed]
each_listed = pytest.mark.parametrize("tool", LISTED, ids=lambda tool: tool["name"])

TOOLS_MOST = 40
BYTES_MOST = 14_000  # the files and feedback tools still to come stay within 20,000
ALWAYS_UNLISTED = {"assign_task", "accept_task", "reject_task", "list_pending_consents"}


def nodes(schema: Any) -> Iterator[dict[str, Any]]:
    """Every schema object in `schema`; names of properties are not keywords."""
    if isinstance(schema, list):
        for item in schema:
            yield from nodes(item)
    elif isinstance(schema, dict):
        yield schema
        for key, value in schema.items():
            yield from nodes(list(value.values()) if key == "properties" else value)


@each_listed
def test_a_name_fits_every_client(tool):
    assert re.fullmatch(r"[a-z][a-z0-9_]{1,39}", tool["name"])


@each_listed
def test_the_root_is_a_plain_closed_object(tool):
    root = tool["inputSchema"]
    assert root["type"] == "object"
    assert root["additionalProperties"] is False
    assert not {"oneOf", "anyOf", "allOf", "not", "if", "$defs"} & root.keys()


@each_listed
def test_no_schema_uses_what_clients_drop_or_choke_on(tool):
    for node in nodes(tool["inputSchema"]):
        assert not {"$ref", "$schema", "x-mcp-header", "title", "default"} & node.keys()
        assert isinstance(node.get("type", ""), str), "a list of types loses Gemini"
        assert node.get("type") != "null", "a null is left out, not sent"


@each_listed
def test_enums_are_strings(tool):
    for node in nodes(tool["inputSchema"]):
        assert all(isinstance(value, str) for value in node.get("enum", []))
        assert "const" not in node or isinstance(node["const"], str)


@each_listed
def test_a_limit_in_the_schema_is_also_said_in_words(tool):
    for node in nodes(tool["inputSchema"]):
        for keyword in {"maxLength", "maxItems", "maximum"} & node.keys():
            assert str(node[keyword]) in node.get("description", ""), f"{keyword} {node[keyword]} is not said"


@each_listed
def test_a_description_is_short_and_ends(tool):
    assert 20 <= len(tool["description"]) <= 400
    assert tool["description"].endswith(".")


@each_listed
def test_all_four_annotations_are_given_and_nothing_else_is(tool):
    hints = {"readOnlyHint", "destructiveHint", "idempotentHint", "openWorldHint"}
    assert tool["annotations"].keys() == hints
    assert all(type(value) is bool for value in tool["annotations"].values())
    assert tool.keys() == {"name", "description", "inputSchema", "annotations"}
    assert not (tool["annotations"]["readOnlyHint"] and tool["annotations"]["destructiveHint"])


def test_only_reading_tools_say_that_they_read():
    for tool in registry.tools():
        assert not tool.read_only or tool.scope in {Scope.READ, Scope.DOWNLOAD}


def test_the_list_is_in_order_and_within_its_budget():
    assert [tool["name"] for tool in LISTED] == sorted(tool["name"] for tool in LISTED)
    assert len(LISTED) <= TOOLS_MOST
    size = len(json.dumps(LISTED, ensure_ascii=False, separators=(",", ":")).encode())
    assert size < BYTES_MOST, f"{size} bytes"


def test_tools_kept_for_old_callers_are_not_listed():
    assert not ALWAYS_UNLISTED & {tool["name"] for tool in LISTED}


@pytest.mark.parametrize("revision", [MODERN, LEGACY])
def test_the_wire_lists_exactly_these_tools_to_a_passport_with_all_scopes(cast, revision):
    agent = factories.make_agent(cast.ada, "every", scopes=ALL)
    assert McpClient(factories.token_for(agent), revision=revision).tools() == LISTED


@pytest.mark.parametrize("scopes", [Scope(0), Scope.READ, Scope.READ | Scope.WRITE, ALL & ~Scope.READ])
def test_a_passport_sees_only_what_it_can_call(cast, scopes):
    agent = factories.make_agent(cast.ada, "some", scopes=scopes)
    shown = {tool["name"] for tool in McpClient(factories.token_for(agent)).tools()}
    assert shown == {tool.name for tool in registry.tools() if tool.listed and tool.scope in scopes}


def test_a_reading_passport_is_offered_nothing_that_writes(cast):
    agent = factories.make_agent(cast.ada, "reader", scopes=Scope.READ)
    assert all(tool["annotations"]["readOnlyHint"] for tool in McpClient(factories.token_for(agent)).tools())


def test_the_list_is_the_same_each_time_and_for_everyone_with_the_same_scopes(cast):
    lists = {
        json.dumps(dispatch.listed(factories.actor_of(agent)))
        for agent in (cast.scout, cast.forge, cast.quill)
        for _ in range(5)
    }
    assert len(lists) == 1


def test_the_digest_of_the_list_is_published():
    assert openapi.document()["info"]["x-tools-digest"] == listing_digest()
    assert len(listing_digest()) == 64
