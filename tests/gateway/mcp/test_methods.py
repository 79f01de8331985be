"""What discovery, the handshake and the list of tools say, in both revisions."""

from __future__ import annotations

import re

import pytest

from agentroom.core.contract import registry
from agentroom.core.scopes import Scope
from agentroom.gateway.mcp.instructions import INSTRUCTIONS
from tests import factories
from tests.gateway.mcp.wire import MODERN, Caller, legacy, modern


def initialize(version):
    return legacy(
        "initialize",
        {"protocolVersion": version, "capabilities": {}, "clientInfo": {"name": "tests", "version": "1"}},
    )


def test_discovery_says_what_the_server_is_and_may_be_cached_by_anybody(caller):
    result = caller.ask(modern("server/discover")).result
    assert result["supportedVersions"] == [MODERN]
    assert result["capabilities"] == {"tools": {"listChanged": False}}
    assert result["instructions"] == INSTRUCTIONS
    assert (result["ttlMs"], result["cacheScope"], result["resultType"]) == (300_000, "public", "complete")
    assert result["_meta"]["io.modelcontextprotocol/serverInfo"]["name"] == "agent-room"


@pytest.mark.parametrize("version", ["2024-11-05", "2025-03-26", "2025-06-18", "2025-11-25"])
def test_the_handshake_keeps_the_version_that_was_asked_for(caller, version):
    result = caller.ask(initialize(version)).result
    assert result["protocolVersion"] == version
    assert result["capabilities"] == {"tools": {"listChanged": False}}
    assert result["serverInfo"]["title"] == "Agent Room"
    assert result["instructions"] == INSTRUCTIONS


@pytest.mark.parametrize("version", ["2026-07-28", "2031-01-01", "nonsense", ""])
def test_the_handshake_offers_its_newest_version_for_one_it_does_not_have(caller, version):
    assert caller.ask(initialize(version)).result["protocolVersion"] == "2025-11-25"


def test_the_handshake_may_carry_the_new_envelope_too(caller):
    body = initialize("2025-11-25")
    body["params"]["_meta"] = {"io.modelcontextprotocol/protocolVersion": MODERN}
    heard = caller.ask(body, mcp_protocol_version=None, mcp_method=None)
    assert heard.result["protocolVersion"] == "2025-11-25"


def test_a_ping_is_answered_with_nothing(caller):
    assert caller.ask(legacy("ping")).result == {}


@pytest.mark.parametrize("version", [None, "2025-03-26", "2025-06-18", "2025-11-25"])
def test_a_client_may_list_and_call_without_a_handshake(caller, version):
    assert caller.ask(legacy("tools/list"), mcp_protocol_version=version).result["tools"]
    call = legacy("tools/call", {"name": "list_rooms"})
    assert caller.ask(call, mcp_protocol_version=version).result["isError"] is False


def test_an_older_client_may_send_the_newer_headers(caller):
    heard = caller.ask(legacy("tools/list"), mcp_protocol_version="2025-11-25", mcp_method="tools/list")
    assert heard.status == 200


def test_both_revisions_list_the_same_tools(caller):
    older, newer = caller.ask(legacy("tools/list")).result, caller.ask(modern("tools/list")).result
    assert older["tools"] == newer["tools"]
    assert "ttlMs" not in older
    assert (newer["ttlMs"], newer["cacheScope"]) == (300_000, "private")


def test_the_list_is_the_same_every_time(caller):
    first = caller.ask(modern("tools/list")).raw
    assert {caller.ask(modern("tools/list")).raw for _ in range(20)} == {first}


def test_the_list_holds_only_what_the_scopes_allow(quill):
    def names(scopes):
        quill.scopes = int(scopes)
        quill.save()
        tools = Caller(factories.token_for(quill)).ask(modern("tools/list")).result["tools"]
        return {tool["name"] for tool in tools}

    assert "list_rooms" in names(Scope.READ)
    assert "send_message" not in names(Scope.READ)
    assert names(Scope(0)) == set()
    assert names(Scope.READ) < names(Scope.READ | Scope.WRITE)


def test_no_tool_shows_an_output_schema(caller):
    for tool in caller.ask(modern("tools/list")).result["tools"]:
        assert set(tool) == {"name", "description", "inputSchema", "annotations"}
        assert set(tool["annotations"]) == {"readOnlyHint", "destructiveHint", "idempotentHint", "openWorldHint"}


def test_the_instructions_fit_where_clients_show_them():
    assert len(INSTRUCTIONS.encode()) <= 2048


def test_the_instructions_name_only_tools_and_fields_that_exist():
    known = set()
    for record in registry.tools():
        known |= {record.name, *record.input.model_fields, *record.output.model_fields}
    beyond = {"retry_after_ms", "error_id", "next_action"}  # of the public error
    words = set(re.findall(r"\b[a-z]+(?:_[a-z]+)+\b", INSTRUCTIONS))
    assert words - known - beyond <= {"trust_level"}  # of a mention, inside the inbox


def test_the_fixtures_of_the_official_suite_are_not_there(caller):
    assert not [tool for tool in caller.ask(modern("tools/list")).result["tools"] if tool["name"].startswith("test_")]
    assert caller.ask(modern("prompts/list")).status == 404
