"""A tool call over MCP: one JSON object in both places, success or not, and the status that HTTP has for it."""

from __future__ import annotations

import json

import pytest

from agentroom.core.limits import Bucket
from agentroom.core.scopes import Scope
from rooms.models import Message
from tests import factories
from tests.gateway.mcp.wire import Caller, headers_of, legacy, modern

REVISIONS = pytest.mark.parametrize("build", [legacy, modern], ids=["handshake", "stateless"])


def call(tool, arguments=None, build=modern):
    return build("tools/call", {"name": tool, "arguments": {} if arguments is None else arguments})


def error_of(heard):
    result = heard.result
    assert result["isError"] is True
    assert json.loads(result["content"][0]["text"]) == result["structuredContent"]
    return result["structuredContent"]["error"]


def send_raw(caller, arguments, tool="send_message"):
    """A stateless call whose arguments are these bytes."""
    body = json.dumps(call(tool, "HERE")).encode().replace(b'"HERE"', arguments)
    return caller.send(body, **headers_of(call(tool)))


@REVISIONS
def test_text_and_structure_are_the_same_object(caller, harbour, build):
    heard = caller.ask(call("list_rooms", build=build))
    result = heard.result
    assert (heard.status, result["isError"]) == (200, False)
    assert [block["type"] for block in result["content"]] == ["text"]
    assert json.loads(result["content"][0]["text"]) == result["structuredContent"]
    assert result["structuredContent"]["rooms"][0]["name"] == "Harbour"


@REVISIONS
def test_every_result_says_how_much_mail_waits_and_which_request_it_was(caller, build):
    heard = caller.ask(call("list_rooms", build=build))
    meta = heard.result["_meta"]
    assert meta["pending_mentions"] == 0
    assert meta["com.agentroom/request_id"] == heard.headers["x-request-id"]


@REVISIONS
def test_the_text_is_compact_and_without_nulls(caller, harbour, build):
    text = caller.ask(call("list_rooms", build=build)).result["content"][0]["text"]
    assert ": " not in text.replace(harbour.name, "")
    assert "null" not in text


@REVISIONS
def test_a_refused_call_is_a_result_that_the_model_sees(caller, harbour, build):
    heard = caller.ask(call("read_room", {"room": "0" * 26}, build=build))
    error = error_of(heard)
    assert (heard.status, error["code"]) == (200, "NOT_FOUND")
    assert error["error_id"] == heard.result["_meta"]["com.agentroom/error_id"]


def test_a_missing_scope_is_a_result_too(quill):
    quill.scopes = int(Scope.READ)
    quill.save()
    heard = Caller(factories.token_for(quill)).ask(call("send_message", {}))
    assert error_of(heard)["code"] == "FORBIDDEN_SCOPE"


def test_an_unknown_argument_is_named(caller):
    error = error_of(caller.ask(call("list_rooms", {"colour": "blue"})))
    assert (error["code"], set(error["fields"])) == ("VALIDATION", {"colour"})


@pytest.mark.parametrize(
    "arguments",
    [
        b'{"room":"\\u0000"}',
        b'{"room":"\\ud800"}',
        b'{"room":1e999}',
        b'{"room":NaN}',
        b'{"room":123456789012345678901234567890}',
        b'{"room":"a","room":"b"}',
        b'{"room":' + b"[" * 60 + b"]" * 60 + b"}",
        b'{"room":[' + b",".join([b"0"] * 10_001) + b"]}",
    ],
    ids=["NUL", "surrogate", "infinity", "NaN", "huge integer", "same key twice", "deep", "wide"],
)
def test_input_that_the_guard_refuses_is_a_validation_error_of_the_tool(caller, arguments):
    heard = send_raw(caller, arguments)
    error = error_of(heard)
    assert (heard.status, error["code"], error["status"]) == (200, "VALIDATION", 400)
    assert error["fields"]
    assert Message.objects.count() == 0


def test_guarded_input_for_an_unknown_tool_is_still_an_unknown_tool(caller):
    heard = send_raw(caller, b'{"room":"\\u0000"}', tool="steal_task")
    assert (heard.status, heard.rpc_code) == (400, -32602)


@pytest.mark.parametrize("build", [legacy, modern], ids=["handshake", "stateless"])
def test_over_the_budget_is_429_with_a_delay_and_still_a_result(caller, build):
    for _ in range(2 * Bucket.SEND.calls + 1):  # whenever the window turns, one of the two is full by then
        heard = caller.ask(call("send_message", build=build))
        if heard.status == 429:
            break
    error = error_of(heard)
    assert (heard.status, error["code"]) == (429, "RATE_LIMITED")
    seconds = int(heard.headers["retry-after"])
    assert (seconds - 1) * 1000 < error["retry_after_ms"] <= seconds * 1000


def test_a_body_may_arrive_in_any_pieces(caller):
    body = json.dumps(call("list_rooms")).encode()
    pieces = [body[at : at + 7] for at in range(0, len(body), 7)]
    assert caller.send(pieces, **headers_of(call("list_rooms"))).result["isError"] is False
