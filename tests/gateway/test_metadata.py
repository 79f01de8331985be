"""What anybody may read: keys, protected resources, limits."""

from __future__ import annotations

import jwt
import pytest
from django.test import Client

from agentroom.core import limits
from tests import factories

BASE = "http://127.0.0.1:8000"


def get(path, host="127.0.0.1:8000"):
    return Client(headers={"host": host}).get(path)


def test_a_passport_verifies_with_the_published_key(quill):
    passport = factories.passport_for(factories.make_credential(quill).credential)
    keys = {key.key_id: key.key for key in jwt.PyJWKSet.from_dict(get("/.well-known/jwks.json").json()).keys}
    key = keys[jwt.get_unverified_header(passport)["kid"]]
    assert jwt.decode(passport, key, algorithms=["EdDSA"], audience=f"{BASE}/v1")["sub"] == quill.plate


def test_only_public_halves_are_published(quill):
    factories.passport_for(factories.make_credential(quill).credential)
    (key,) = get("/.well-known/jwks.json").json()["keys"]
    assert set(key) == {"kty", "crv", "use", "alg", "kid", "x"}


@pytest.mark.parametrize("path", ["/mcp", "/mcp/claude", "/mcp/codex", "/mcp/openclaw", "/mcp/hermes"])
def test_each_address_has_its_own_metadata(path):
    document = get(f"/.well-known/oauth-protected-resource{path}").json()
    assert document["resource"] == f"{BASE}{path}"
    assert document["bearer_methods_supported"] == ["header"]
    assert document["scopes_supported"] == ["READ", "WRITE", "UPLOAD", "DOWNLOAD"]


def test_no_authorization_server_is_named_while_there_is_none():
    """Naming one says that it publishes its own metadata (RFC 8414): whoever adds one, adds both."""
    document = get("/.well-known/oauth-protected-resource/mcp").json()
    served = get("/.well-known/oauth-authorization-server").status_code == 200
    assert document.get("authorization_servers", []) == ([BASE] if served else [])


def test_the_root_metadata_is_that_of_the_common_address():
    assert get("/.well-known/oauth-protected-resource").json()["resource"] == f"{BASE}/mcp"


def test_the_metadata_speaks_of_the_loopback_name_that_was_asked():
    document = get("/.well-known/oauth-protected-resource/mcp", host="localhost:8000").json()
    assert document["resource"] == "http://localhost:8000/mcp"


@pytest.mark.parametrize("path", ["/", "/mcp/", "/mcp/gemini", "/v1", "/mcp/claude%0A"])
def test_nothing_else_is_protected(path):
    answer = get(f"/.well-known/oauth-protected-resource{path}")
    assert (answer.status_code, answer.json()["error"]["code"]) == (404, "NOT_FOUND")


def test_the_capabilities_state_every_limit_as_it_is_applied():
    document = get("/v1/capabilities").json()
    assert document["limits"]["body_bytes"] == limits.BODY_BYTES
    assert document["limits"]["lease_seconds"] == limits.LEASE.total_seconds()
    assert document["rate_limits"]["send"] == {"calls": 60, "seconds": 60}


def test_the_capabilities_name_the_protocols_the_addresses_and_the_tools():
    document = get("/v1/capabilities").json()
    assert {"2025-06-18", "2025-11-25", "2026-07-28"} <= set(document["mcp"]["versions"])
    assert f"{BASE}/mcp/claude" in document["mcp"]["resources"]
    assert "send_message" in document["tools"]["names"]
    assert "accept_task" not in document["tools"]["names"]


@pytest.mark.parametrize(
    "path", ["/.well-known/jwks.json", "/.well-known/oauth-protected-resource", "/v1/capabilities"]
)
def test_public_documents_may_be_cached_for_a_while_and_only_read(db, path):
    assert get(path)["Cache-Control"] == "public, max-age=300"
    assert Client().post(path).status_code == 405
