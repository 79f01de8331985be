"""What is refused before a body is read, and in which order (mcp.md 1.3, AR-4.1 to 4.3)."""

from __future__ import annotations

import pytest

from tests import factories
from tests.gateway.mcp.wire import Caller, legacy

PING = legacy("ping")
OURS = "http://127.0.0.1:8000"


def test_a_foreign_host_is_refused_before_anything_else(quill):
    heard = Caller(factories.token_for(quill), host="evil.example").ask(PING)
    assert heard.status == 400


@pytest.mark.parametrize("origin", ["http://evil.example", "null", "http://127.0.0.1:8001", "https://127.0.0.1:8000"])
def test_a_page_of_somebody_else_may_not_call(caller, origin):
    heard = caller.ask(PING, origin=origin)
    assert (heard.status, heard.json["error"]["code"]) == (403, "FORBIDDEN")


def test_a_foreign_page_is_refused_before_its_credential_is_looked_at(stranger):
    assert stranger.ask(PING, origin="http://evil.example").status == 403


def test_two_origins_must_both_be_ours(caller):
    heard = caller.send(b"{}", more=[("Origin", OURS), ("Origin", "http://evil.example")])
    assert heard.status == 403


def test_a_page_of_ours_may_call(caller):
    assert caller.ask(PING, origin=OURS).status == 200


def test_a_page_that_the_operator_named_may_call(caller, settings):
    settings.MCP_ALLOWED_ORIGINS = ["https://inspector.example"]
    assert caller.ask(PING, origin="https://inspector.example").status == 200


@pytest.mark.parametrize("method", ["POST", "GET", "HEAD", "DELETE", "OPTIONS", "PUT"])
def test_a_stranger_is_challenged_whatever_the_method(stranger, method):
    heard = stranger.send(b"", method=method)
    assert heard.status == 401
    assert heard.headers["www-authenticate"] == (
        f'Bearer resource_metadata="{OURS}/.well-known/oauth-protected-resource/mcp", '
        'scope="READ WRITE UPLOAD DOWNLOAD"'
    )
    assert heard.json["error"]["code"] == "IDENTITY_REQUIRED"


@pytest.mark.parametrize("method", ["GET", "HEAD", "DELETE", "OPTIONS", "PUT", "PATCH"])
def test_only_post_is_answered_and_the_answer_says_so(caller, method):
    heard = caller.send(b"", method=method)
    assert (heard.status, heard.headers["allow"]) == (405, "POST")
    assert heard.json["error"]["code"] == "METHOD_NOT_ALLOWED"


@pytest.mark.parametrize(
    "kind",
    [
        None,
        "text/plain",
        "application/x-www-form-urlencoded",
        "application/json; charset=utf-16",
        "application/json; charset=latin-1",
        "application/jsonp",
        "application/json, text/plain",
    ],
)
def test_a_body_that_is_not_declared_as_json_is_refused(caller, kind):
    assert caller.ask(PING, content_type=kind).status == 415


@pytest.mark.parametrize(
    "kind", ["application/json", "application/json;charset=utf-8", 'Application/JSON; charset="UTF-8"']
)
def test_json_is_recognised_however_it_is_spelled(caller, kind):
    assert caller.ask(PING, content_type=kind).status == 200


def test_two_content_types_are_one_too_many(caller):
    assert caller.send(b"{}", more=[("Content-Type", "application/json")]).status == 415


def test_a_compressed_body_is_refused(caller):
    assert caller.ask(PING, content_encoding="gzip").status == 415


@pytest.mark.parametrize("accept", ["text/html", "text/event-stream", "application/json;q=0", "image/*", ""])
def test_a_caller_that_cannot_read_json_is_refused(caller, accept):
    assert caller.ask(PING, accept=accept).status == 406


@pytest.mark.parametrize(
    "accept", [None, "*/*", "application/*", "application/json", "text/html, application/json;q=0.1"]
)
def test_a_caller_that_can_read_json_is_answered(caller, accept):
    assert caller.ask(PING, accept=accept).status == 200


def test_a_method_comes_before_the_content_type_and_that_before_accept(caller):
    assert caller.send(b"", method="GET", content_type="text/plain", accept="text/html").status == 405
    assert caller.send(b"", content_type="text/plain", accept="text/html").status == 415


def test_a_declared_length_over_the_cap_is_refused_unread(caller):
    heard = caller.send(b"{}", content_length=str(1024 * 1024 + 1))
    assert (heard.status, heard.json["error"]["code"]) == (413, "TOO_LARGE")


def test_a_body_is_counted_as_it_is_read(caller):
    heard = caller.send([b" " * 65536] * 17)
    assert (heard.status, heard.json["error"]["code"]) == (413, "TOO_LARGE")


def test_a_body_of_exactly_the_cap_is_read(caller):
    body = b'{"jsonrpc":"2.0","id":1,"method":"ping"}'
    assert caller.send([b" " * (1024 * 1024 - len(body)), body]).status == 200


@pytest.mark.parametrize(
    "path", ["/mcp/", "/mcp/gemini", "/mcp/claude/", "/mcp/claude/x", "/mcp/CLAUDE", "/mcp/generic"]
)
def test_an_address_that_is_none_of_ours_is_not_found(caller, path):
    heard = caller.send(b"{}", path=path)
    assert (heard.status, heard.json["error"]["code"]) == (404, "NOT_FOUND")


def test_every_refusal_is_the_public_error_with_its_ids(caller):
    error = caller.send(b"", method="GET").json["error"]
    assert error["status"] == 405
    assert error["error_id"].startswith("err_")
    assert error["request_id"].startswith("req_")
    assert error["docs_url"]


def test_no_session_is_ever_opened(caller):
    heard = caller.ask(PING, mcp_session_id="stolen")
    assert heard.status == 200
    assert "mcp-session-id" not in heard.headers
