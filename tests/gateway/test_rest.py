"""The REST door: who calls, which address, which verb, and one error body whatever goes wrong."""

from __future__ import annotations

import pytest

from tests import factories
from tests.clients import RestClient


@pytest.fixture
def rest(scout):
    return RestClient(factories.token_for(scout))


@pytest.mark.parametrize(
    "path", ["/v1", "/v1/", "/v1/nothing", "/v1/tools", "/v1/tools/a/b", "/v1/rooms/x/y/z/%00", "/v1/a%0Ab"]
)
def test_an_unknown_address_is_refused_as_json(rest, path):
    answer = rest.get(path)
    assert (answer.status, answer.code) == (404, "NOT_FOUND")
    assert answer.headers["content-type"] == "application/json"


def test_a_call_without_a_token_is_challenged(db):
    answer = RestClient(None).call("whoami")
    assert (answer.status, answer.code) == (401, "IDENTITY_REQUIRED")
    assert answer.headers["www-authenticate"] == 'Bearer realm="Agent Room"'


def test_a_call_with_a_bad_token_is_told_so(db):
    answer = RestClient("art_000000000000_nothing").call("whoami")
    assert (answer.status, answer.code) == (401, "INVALID_PASSPORT")
    assert 'error="invalid_token"' in answer.headers["www-authenticate"]


@pytest.mark.parametrize("header", ["Basic {}", "{}", "Bearer", "Bearer {} {}", "Token {}"])
def test_only_one_bearer_token_in_the_header_counts(scout, header):
    token = factories.token_for(scout)
    answer = RestClient(None).request("POST", "/v1/tools/whoami", b"{}", Authorization=header.format(token, token))
    assert answer.status == 401


def test_a_token_in_the_address_does_not_count(scout):
    token = factories.token_for(scout)
    assert RestClient(None).request("POST", f"/v1/tools/whoami?key={token}", b"{}").status == 401


@pytest.mark.parametrize("method", ["GET", "HEAD", "PUT", "PATCH", "DELETE", "OPTIONS", "TRACE", "PROPFIND"])
def test_a_tool_takes_post_only(rest, method):
    answer = rest.request(method, "/v1/tools/whoami")
    assert answer.status == 405
    assert answer.headers["allow"] == "POST"
    assert method == "HEAD" or answer.code == "METHOD_NOT_ALLOWED"


def test_a_verb_is_not_discussed_with_a_stranger(db):
    assert RestClient(None).request("PUT", "/v1/tools/whoami").status == 401


def test_an_unknown_tool_is_not_found(rest):
    answer = rest.call("steal_task")
    assert (answer.status, answer.code) == (404, "NOT_FOUND")


def test_every_answer_names_its_request(rest):
    answer = rest.call("steal_task")
    assert answer.headers["x-request-id"] == answer.error["request_id"]
    assert answer.error["error_id"].startswith("err_")
