"""The ladder of protocol errors, in both revisions (mcp.md 1.3)."""

from __future__ import annotations

import base64
import json

import pytest

from tests.gateway.mcp.wire import META, MODERN, headers_of, legacy, modern

DISCOVER = modern("server/discover")


def refused(heard, code, status=400):
    error = heard.json["error"]
    assert (heard.status, error["code"]) == (status, code), heard.json
    assert heard.json["jsonrpc"] == "2.0"
    return error


@pytest.mark.parametrize(
    "body",
    [b"", b"{", b"nonsense", b'{"a":}', b"\xef\xbb\xbf{}", b"\xff\xfe", '{"a":1}'.encode("utf-16"), b"[" * 100_000],
)
def test_what_no_parser_understands_is_a_parse_error(caller, body):
    refused(caller.send(body), -32700)
    assert caller.send(body).json["id"] is None


@pytest.mark.parametrize("body", [b"[]", b"1", b'"x"', b"null", b"{}", b'{"jsonrpc":"2.0"}'])
def test_what_is_not_one_request_is_invalid(caller, body):
    refused(caller.send(body), -32600)
    assert caller.send(body).json["id"] is None


@pytest.mark.parametrize("build", [legacy, modern])
def test_a_batch_is_refused(caller, build):
    refused(caller.send(json.dumps([build("ping"), build("ping", id=2)]).encode()), -32600)


@pytest.mark.parametrize("id", [None, 1.5, True, [], {}, 2**70])
def test_an_id_is_text_or_an_integer(caller, id):
    refused(caller.ask(legacy("ping", id=id)), -32600)


@pytest.mark.parametrize("id", [0, -1, 2**53, "", "ä", "x" * 500])
def test_the_answer_carries_the_id_of_the_request(caller, id):
    assert caller.ask(legacy("ping", id=id)).json["id"] == id


@pytest.mark.parametrize(
    "wrong", [{"jsonrpc": "1.0"}, {"method": 1}, {"method": None}, {"params": []}, {"params": "x"}]
)
def test_a_bad_envelope_is_invalid(caller, wrong):
    refused(caller.ask({**legacy("ping"), **wrong}), -32600)


@pytest.mark.parametrize("missing", sorted(set(META) - {"io.modelcontextprotocol/clientInfo"}))
def test_a_missing_field_of_the_envelope_is_named(caller, missing):
    body = modern("server/discover")
    body["params"] = {"_meta": {name: value for name, value in META.items() if name != missing}}
    error = refused(caller.ask(body), -32602)
    assert missing in error["message"]


def test_the_client_need_not_introduce_itself(caller):
    body = modern("server/discover")
    body["params"]["_meta"] = {name: value for name, value in META.items() if not name.endswith("clientInfo")}
    assert caller.ask(body).status == 200


@pytest.mark.parametrize(
    "headers",
    [
        {"mcp_protocol_version": None},
        {"mcp_protocol_version": "2025-11-25"},
        {"mcp_method": None},
        {"mcp_method": "tools/list"},
        {"mcp_method": "SERVER/DISCOVER"},
    ],
)
def test_headers_must_mirror_the_body(caller, headers):
    heard = caller.ask(DISCOVER, **headers)
    refused(heard, -32020)
    assert heard.json["id"] == 1


@pytest.mark.parametrize("name", [None, "send_message", "LIST_ROOMS", "=?base64?####?=", "=?base64?bGlzdA==?="])
def test_the_name_of_a_tool_must_be_mirrored(caller, name):
    refused(caller.ask(modern("tools/call", {"name": "list_rooms", "arguments": {}}), mcp_name=name), -32020)


def test_a_name_may_be_mirrored_in_base64(caller):
    coded = f"=?base64?{base64.b64encode(b'list_rooms').decode()}?="
    heard = caller.ask(modern("tools/call", {"name": "list_rooms", "arguments": {}}), mcp_name=coded)
    assert heard.result["isError"] is False


def test_white_space_around_a_header_does_not_count(caller):
    assert caller.ask(DISCOVER, mcp_method=" server/discover\t").status == 200


@pytest.mark.parametrize("name", ["MCP-Protocol-Version", "Mcp-Method"])
def test_a_routing_header_may_not_come_twice(caller, name):
    lines = headers_of(DISCOVER)
    heard = caller.send(json.dumps(DISCOVER).encode(), **lines, more=[(name, lines[name])])
    refused(heard, -32020)


def test_an_unknown_version_is_told_what_is_spoken(caller):
    body = modern("server/discover")
    body["params"]["_meta"] = {**META, "io.modelcontextprotocol/protocolVersion": "2031-01-01"}
    error = refused(caller.ask(body, mcp_protocol_version="2031-01-01"), -32022)
    assert error["data"] == {"supported": [MODERN], "requested": "2031-01-01"}


def test_an_unknown_version_header_of_an_older_client_is_told_all_that_is_spoken(caller):
    error = refused(caller.ask(legacy("ping"), mcp_protocol_version="1999"), -32022)
    assert {"2025-06-18", "2025-11-25", MODERN} <= set(error["data"]["supported"])


@pytest.mark.parametrize(
    "method",
    ["initialize", "ping", "logging/setLevel", "resources/subscribe", "prompts/list", "subscriptions/listen", "x"],
)
def test_an_unknown_method_is_not_found_in_the_stateless_revision(caller, method):
    refused(caller.ask(modern(method)), -32601, 404)


@pytest.mark.parametrize("method", ["server/discover", "resources/list", "prompts/list", "sampling/createMessage", ""])
def test_an_unknown_method_is_an_ordinary_answer_in_the_handshake_revisions(caller, method):
    refused(caller.ask(legacy(method, {})), -32601, 200)


@pytest.mark.parametrize(("build", "status"), [(legacy, 200), (modern, 400)], ids=["handshake", "stateless"])
class TestInvalidParams:
    def test_an_unknown_tool(self, caller, build, status):
        refused(caller.ask(build("tools/call", {"name": "steal_task", "arguments": {}})), -32602, status)

    @pytest.mark.parametrize("params", [{"name": 5}, {"name": "list_rooms", "arguments": []}])
    def test_a_malformed_call(self, caller, build, status, params):
        heard = caller.ask(build("tools/call", params), mcp_name="list_rooms")
        if status == 200:
            refused(heard, -32602, status)
        else:
            assert heard.json["error"]["code"] in {-32602, -32020}

    def test_a_cursor_that_was_never_given_out(self, caller, build, status):
        refused(caller.ask(build("tools/list", {"cursor": "2"})), -32602, status)


def test_a_call_without_a_name_is_invalid(caller):
    refused(caller.ask(legacy("tools/call", {})), -32602, 200)


@pytest.mark.parametrize("method", ["notifications/initialized", "notifications/cancelled", "notifications/whatever"])
@pytest.mark.parametrize("version", [None, "2025-03-26", "2025-06-18", "2025-11-25", MODERN])
def test_a_notification_is_acknowledged_without_a_word(caller, method, version):
    heard = caller.send(json.dumps({"jsonrpc": "2.0", "method": method}).encode(), mcp_protocol_version=version)
    assert (heard.status, heard.raw) == (202, b"")


def test_a_notification_of_an_unknown_version_is_refused(caller):
    refused(caller.send(b'{"jsonrpc":"2.0","method":"notifications/x"}', mcp_protocol_version="1999"), -32022)


def test_a_response_from_a_client_is_acknowledged_only_in_the_handshake_revisions(caller):
    body = b'{"jsonrpc":"2.0","id":3,"result":{}}'
    assert caller.send(body).status == 202
    refused(caller.send(body, mcp_protocol_version=MODERN), -32600)


def test_the_same_key_twice_outside_a_tool_call_is_refused(caller):
    error = refused(
        caller.send(b'{"jsonrpc":"2.0","id":1,"method":"ping","params":{"_meta":{},"_meta":{}}}'), -32602, 200
    )
    assert "twice" in error["message"]


def test_nothing_of_the_request_is_echoed_in_a_protocol_error(caller):
    secret = "hunter2-is-a-secret"
    for body in (legacy(secret), legacy("tools/call", {"name": secret}), legacy("tools/list", {"cursor": secret})):
        assert secret.encode() not in caller.ask(body).raw
