"""`POST /v1/agent-token`: a credential gets a passport for exactly one address, with no more than the agent may do."""

from __future__ import annotations

import json
import re

import jwt
import pytest
from django.conf import settings

from agentroom.core.audit import first_broken
from agentroom.core.limits import Bucket
from agentroom.core.models import AuditRow, IdempotentReceipt, Revision
from agentroom.core.scopes import ALL
from identity.models import Agent
from tests import factories
from tests.clients import Answer, McpClient, RestClient

pytestmark = pytest.mark.django_db
BASE = settings.AGENTROOM_BASE_URL
ADDRESSES = ["/v1", "/mcp", "/mcp/claude", "/mcp/codex", "/mcp/openclaw", "/mcp/hermes"]


def ask(token: str | None, **body: object) -> Answer:
    return RestClient(token).post("/v1/agent-token", body)


def at(path: str, passport: str) -> Answer:
    """`whoami` with the passport at one of the addresses."""
    if path == "/v1":
        return RestClient(passport).call("whoami")
    return McpClient(passport, path.removeprefix("/mcp").strip("/")).call("whoami")


@pytest.mark.parametrize(("host", "own"), [("", "/mcp"), ("claude", "/mcp/claude"), ("hermes", "/mcp/hermes")])
@pytest.mark.parametrize("asked", ["own", "/v1"])
def test_a_passport_works_at_the_address_it_was_asked_for_and_at_no_other(cast, host: str, own: str, asked: str):
    path = own if asked == "own" else asked
    made = ask(factories.token_for(cast.scout, host=host), resource=BASE + path)
    assert made["resource"] == BASE + path
    found = {address: at(address, made["passport"]) for address in ADDRESSES}
    assert {address for address, answer in found.items() if answer.ok} == {path}
    assert found.pop(path)["plate"] == cast.scout.plate
    assert {(answer.status, answer.code) for answer in found.values()} == {(401, "INVALID_PASSPORT")}


@pytest.mark.parametrize("host", ["", "claude"])
def test_a_credential_makes_passports_for_its_own_addresses_only(cast, host: str):
    token = factories.token_for(cast.scout, host=host)
    own = {"/v1", f"/mcp/{host}" if host else "/mcp"}
    for address in ADDRESSES:
        answer = ask(token, resource=BASE + address)
        assert answer.ok if address in own else (answer.status, answer.code) == (400, "VALIDATION"), address
        assert answer.ok or list(answer.error["fields"]) == ["resource"]


@pytest.mark.parametrize(
    "resource",
    [
        *("", "/v1", "/mcp", BASE, f"{BASE}/", f"{BASE}/v1/", f"{BASE}/mcp/", f"{BASE}/mcp?x", f"{BASE}/mcp#x"),
        *("https://elsewhere.example/mcp", f"{BASE}.example/mcp", f"{BASE}@elsewhere.example/mcp", f"{BASE}/V1"),
        "http://127.0.0.1:1/mcp",
    ],
)
def test_what_is_not_exactly_an_address_of_this_server_is_refused(cast, resource: str):
    answer = ask(factories.token_for(cast.scout), resource=resource)
    assert (answer.status, answer.code) == (400, "VALIDATION")
    assert not AuditRow.objects.filter(act="passport.mint").exists()


def test_on_loopback_an_equal_name_of_the_server_may_be_named(cast):
    """The agents' endpoint knows itself by the name it was asked by; /v1 has the one name."""
    client = RestClient(factories.token_for(cast.scout))

    def asked(resource: str) -> Answer:
        body = json.dumps({"resource": resource}).encode()
        return client.request("POST", "/v1/agent-token", body, Host="localhost:8000")

    assert asked("http://localhost:8000/mcp")["resource"] == "http://localhost:8000/mcp"
    assert asked("http://localhost:8000/v1")["resource"] == f"{BASE}/v1"
    assert at("/v1", asked("http://localhost:8000/v1")["passport"]).ok
    assert asked("http://localhost:9000/mcp").code == "VALIDATION"


def test_with_no_wishes_it_is_for_v1_with_all_the_agent_may_do_for_fifteen_minutes(cast):
    made = ask(factories.token_for(cast.scout))
    assert (made["resource"], made["plate"]) == (f"{BASE}/v1", cast.scout.plate)
    assert made["scopes"] == cast.scout.granted.names
    claims = jwt.decode(made["passport"], options={"verify_signature": False})
    assert claims["exp"] - claims["iat"] == 900
    assert made["expires_at"].endswith("Z")


def test_it_has_the_scopes_that_were_asked_for_and_the_time(cast):
    made = ask(factories.token_for(cast.scout), ops=["history"], ttlSec=60, channels=[], agentId=cast.scout.plate)
    assert made["scopes"] == ["READ"]
    claims = jwt.decode(made["passport"], options={"verify_signature": False})
    assert claims["exp"] - claims["iat"] == 60
    client = RestClient(made["passport"])
    assert client.call("whoami")["scopes"] == ["READ"]
    assert client.call("send_message", room=cast.harbour.pk, body="Ahoy").code == "FORBIDDEN_SCOPE"


def test_no_passport_has_a_scope_that_its_agent_lacks(cast):
    token = factories.token_for(cast.scout)
    refused = ask(token, ops=["READ", "INVOKE"])
    assert (refused.status, refused.code, refused.error["scope"]) == (403, "FORBIDDEN_SCOPE", "INVOKE")
    made = ask(token, ops=["READ", "WRITE"])
    Agent.objects.filter(pk=cast.scout.pk).update(scopes=1)
    assert RestClient(made["passport"]).call("whoami")["scopes"] == ["READ"]


def test_the_answer_is_kept_nowhere_on_its_way(cast):
    assert ask(factories.token_for(cast.scout)).headers["cache-control"] == "no-store"


def test_another_agents_plate_is_refused_whether_or_not_there_is_such_an_agent(cast):
    for plate in (cast.forge.plate, cast.quill.plate, "BRNL-AGT-00000000"):
        answer = ask(factories.token_for(cast.scout), agentId=plate)
        assert (answer.status, answer.code) == (403, "FORBIDDEN")
        assert cast.scout.plate in answer.error["message"]


def test_channels_are_rooms_of_the_agent(cast):
    token = factories.token_for(cast.scout)
    lagoon = factories.make_room("Lagoon", admin=factories.make_owner("mallory"))
    assert ask(token, channels=[cast.harbour.pk]).ok
    for room in (lagoon.pk, "0" * 26):
        assert ask(token, channels=[cast.harbour.pk, room]).code == "NOT_FOUND"


def test_collaboration_is_refused_in_clear_words(cast):
    token = factories.token_for(cast.scout)
    for claim in ({"ops": ["task.list"], "projects": [cast.harbour.pk]}, {"ops": [], "projects": []}, {}):
        answer = ask(token, collaboration=claim)
        assert (answer.status, answer.code) == (403, "FORBIDDEN")
        assert "collaboration" in answer.error["message"]
    assert ask(token, tenantId="t").code == "VALIDATION"


@pytest.mark.parametrize(
    ("field", "value"),
    [
        ("ttlSec", 901),
        ("ttlSec", 0),
        ("ttlSec", -1),
        ("ttlSec", "60"),
        ("ttlSec", 1.5),
        ("ttlSec", True),
        ("ops", ["*"]),
        ("ops", ["read"]),
        ("ops", "READ"),
        ("ops", ["READ"] * 7),
        ("channels", ["*"]),
        ("channels", "0" * 26),
        ("agentId", 7),
        ("resource", ["/v1"]),
        ("collaboration", "all"),
        ("instance_id", "main"),
        ("scopes", 31),
        ("aud", "x"),
    ],
)
def test_what_nobody_may_ask_is_refused_by_name(cast, field: str, value: object):
    answer = ask(factories.token_for(cast.scout), **{field: value})
    assert (answer.status, answer.code) == (400, "VALIDATION")
    assert {re.split(r"[.\[]", name)[0] for name in answer.error["fields"]} == {field}


def test_a_passport_never_makes_another_one(cast):
    Agent.objects.filter(pk=cast.scout.pk).update(scopes=int(ALL))
    passport = ask(factories.token_for(cast.scout))["passport"]
    answer = ask(passport)
    assert (answer.status, answer.code) == (403, "FORBIDDEN")
    assert AuditRow.objects.filter(act="passport.mint").count() == 1


def test_nobody_gets_one_without_a_credential(cast):
    assert (ask(None).status, ask(None).code) == (401, "IDENTITY_REQUIRED")
    for token in ("art_0123456789ab_no", "x"):
        assert (ask(token).status, ask(token).code) == (401, "INVALID_PASSPORT")
    assert RestClient(factories.token_for(cast.scout)).get("/v1/agent-token").status == 405


def test_each_is_on_record_and_none_is_stored(cast):
    made = ask(factories.token_for(cast.scout), ops=["READ"], ttlSec=60)
    claims = jwt.decode(made["passport"], options={"verify_signature": False})
    row = AuditRow.objects.get(act="passport.mint")
    assert (row.chain, row.actor_key, row.record_id) == ("server", f"agent:{cast.scout.plate}", claims["cid"])
    assert row.after == {
        "agent": cast.scout.plate,
        "jti": claims["jti"],
        "resource": f"{BASE}/v1",
        "scopes": ["READ"],
        "seconds": 60,
    }
    assert row.request_id == made.headers["x-request-id"]
    assert first_broken("server") is None
    signature = made["passport"].rpartition(".")[2]
    for model in (AuditRow, IdempotentReceipt, Revision):
        assert signature not in str(list(model.objects.values()))


def test_only_so_many_are_made_in_a_minute(cast, monkeypatch):
    monkeypatch.setattr(Bucket.MINT, "calls", 2)
    token = factories.token_for(cast.scout)
    assert [ask(token).status for _ in range(3)] == [200, 200, 429]
    assert ask(token).error["retry_after_ms"] > 0
    assert RestClient(token).call("whoami").ok
