"""Each address is a resource of its own: credentials, audiences and challenges belong to exactly one (mcp.md 7)."""

from __future__ import annotations

import pytest

from tests import factories
from tests.gateway.mcp.wire import Caller, legacy

HOSTS = ["claude", "codex", "openclaw", "hermes"]
BASE = "http://127.0.0.1:8000"
PING = legacy("ping")


@pytest.mark.parametrize("host", HOSTS)
def test_a_bound_credential_works_at_its_own_address_only(quill, host):
    token = factories.token_for(quill, host=host)
    assert Caller(token, f"/mcp/{host}").ask(PING).status == 200
    for other in ["/mcp", *(f"/mcp/{name}" for name in HOSTS if name != host)]:
        heard = Caller(token, other).ask(PING)
        assert (heard.status, heard.json["error"]["code"]) == (401, "INVALID_PASSPORT")


@pytest.mark.parametrize("host", HOSTS)
def test_an_unbound_credential_works_at_the_common_address_only(quill, host):
    token = factories.token_for(quill)
    assert Caller(token).ask(PING).status == 200
    assert Caller(token, f"/mcp/{host}").ask(PING).status == 401


@pytest.mark.parametrize("path", ["/mcp", "/mcp/claude"])
def test_a_passport_works_where_its_audience_says(quill, path):
    held = factories.make_credential(quill, host=path.removeprefix("/mcp").removeprefix("/"))
    passport = factories.passport_for(held.credential, resource=f"{BASE}{path}")
    assert Caller(passport, path).ask(PING).status == 200
    for audience in [f"{BASE}/v1", f"{BASE}/mcp/codex", f"{BASE}{path}/", f"http://localhost:8000{path}", BASE]:
        strayed = factories.passport_for(held.credential, resource=audience)
        assert Caller(strayed, path).ask(PING).status == 401


@pytest.mark.parametrize("path", ["/mcp", *(f"/mcp/{host}" for host in HOSTS)])
def test_the_challenge_names_the_metadata_of_the_address_that_was_called(stranger, path):
    challenge = stranger.send(b"", path=path).headers["www-authenticate"]
    assert f'resource_metadata="{BASE}/.well-known/oauth-protected-resource{path}"' in challenge
    assert "error=" not in challenge


@pytest.mark.parametrize("token", ["nonsense", "art_000000000000_nothing", "a.b.c", "\xe4\xf6", "x" * 5000, "art_"])
def test_a_token_that_is_not_valid_is_told_so(db, token):
    heard = Caller(token).ask(PING)
    assert (heard.status, heard.json["error"]["code"]) == (401, "INVALID_PASSPORT")
    assert heard.headers["www-authenticate"].startswith('Bearer error="invalid_token", resource_metadata=')
    assert token.encode() not in heard.raw


@pytest.mark.parametrize("sent", ["Basic YTpi", "Bearer", "Token abc", "", "bearer"])
def test_another_scheme_is_no_credential(stranger, sent):
    heard = stranger.ask(PING, authorization=sent)
    assert (heard.status, heard.json["error"]["code"]) == (401, "IDENTITY_REQUIRED")


def test_two_credentials_in_one_request_are_refused(quill):
    token = factories.token_for(quill)
    heard = Caller(token).send(b"{}", more=[("Authorization", f"Bearer {token}")])
    assert heard.status == 401


def test_a_revoked_credential_stops_working_with_the_next_call(quill):
    held = factories.make_credential(quill)
    assert Caller(held.token).ask(PING).status == 200
    held.credential.revoked_at = held.credential.created_at
    held.credential.save()
    heard = Caller(held.token).ask(PING)
    assert (heard.status, heard.json["error"]["code"]) == (401, "REVOKED")


class TestKeyInTheAddress:
    def test_it_works_where_it_is_on(self, stranger, quill):
        heard = stranger.send(b'{"jsonrpc":"2.0","id":1,"method":"ping"}', query=f"key={factories.token_for(quill)}")
        assert heard.status == 200

    def test_it_is_nothing_where_it_is_off(self, stranger, quill, settings):
        settings.AGENTROOM_URL_KEYS = False
        heard = stranger.send(b"{}", query=f"key={factories.token_for(quill)}")
        assert (heard.status, heard.json["error"]["code"]) == (401, "IDENTITY_REQUIRED")

    def test_the_header_outranks_it(self, stranger, quill):
        heard = stranger.send(b"{}", query=f"key={factories.token_for(quill)}", authorization="Bearer wrong")
        assert heard.status == 401

    def test_two_keys_are_refused(self, stranger, quill):
        token = factories.token_for(quill)
        assert stranger.send(b"{}", query=f"key={token}&key={token}").status == 401

    def test_a_passport_may_not_stand_there(self, stranger, quill):
        passport = factories.passport_for(factories.make_credential(quill).credential, resource=f"{BASE}/mcp")
        assert stranger.send(b"{}", query=f"key={passport}").status == 401

    def test_it_reaches_neither_the_log_nor_the_answer(self, stranger, quill, caplog):
        token = factories.token_for(quill)
        with caplog.at_level("DEBUG"):
            heard = stranger.send(b"{}", query=f"key={token}&x=1")
        written = " ".join(f"{record.getMessage()} {vars(record)}" for record in caplog.records)
        assert token not in written
        assert token.encode() not in heard.raw


class TestLoopbackNames:
    @pytest.mark.parametrize("host", ["localhost:8000", "[::1]:8000", "127.0.0.1:8000", "LOCALHOST:8000"])
    def test_all_of_them_are_served_with_the_name_that_was_asked(self, db, host):
        challenge = Caller(host=host).send(b"").headers["www-authenticate"]
        assert f'resource_metadata="http://{host.lower()}/.well-known/' in challenge

    def test_a_passport_made_for_the_name_that_was_asked_works(self, quill):
        held = factories.make_credential(quill)
        passport = factories.passport_for(held.credential, resource="http://localhost:8000/mcp")
        assert Caller(passport, host="localhost:8000").ask(PING).status == 200
        assert Caller(passport).ask(PING).status == 401

    def test_elsewhere_only_the_configured_address_counts(self, db, settings):
        settings.EMBEDDED = False
        settings.AGENTROOM_BASE_URL = "https://room.example"
        challenge = Caller(host="localhost:8000").send(b"").headers["www-authenticate"]
        assert 'resource_metadata="https://room.example/.well-known/oauth-protected-resource/mcp"' in challenge
