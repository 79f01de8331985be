"""A passport got at /v1/agent-token ends with its time, its credential, its agent and its key; no other is as good."""

from __future__ import annotations

from datetime import timedelta

import jwt
import pytest
from django.conf import settings
from django.test import Client

from agentroom.celery import EVERY
from agentroom.core.clock import shifted
from agentroom.core.limits import PASSPORT
from agentroom.core.models import AuditRow
from identity import verified
from identity.actors import SystemActor
from identity.jobs import keep_a_key
from identity.operations.accounts import suspend_account
from identity.operations.agents import revoke_agent
from identity.operations.credentials import revoke_credential
from identity.operations.keys import KEEP, rotate_keys
from identity.passports import SKEW_SECONDS
from tests import factories
from tests.clients import McpClient, RestClient
from tests.identity.forge import Forge

pytestmark = pytest.mark.django_db
BASE = settings.AGENTROOM_BASE_URL
DOORS = {"/v1": RestClient, "/mcp": McpClient}


@pytest.fixture(autouse=True)
def _never_seen_before():
    verified.forget()


@pytest.fixture
def held(cast):
    return factories.make_credential(cast.quill)


def passport_of(held: factories.Held, path: str = "/v1", **wishes: object) -> str:
    made = RestClient(held.token).post("/v1/agent-token", {"resource": BASE + path, **wishes})
    return str(made["passport"])


def refusal(passport: str, path: str = "/v1") -> str:
    answer = DOORS[path](passport).call("whoami")
    assert answer.ok or answer.status == 401
    return answer.code


def keys() -> dict[str, object]:
    published = jwt.PyJWKSet.from_dict(Client().get("/.well-known/jwks.json").json())
    return {key.key_id: key.key for key in published.keys}


@pytest.mark.parametrize("path", DOORS)
@pytest.mark.parametrize("end", ["agent", "credential", "account"])
def test_it_ends_at_once_when_what_stands_behind_it_does(cast, held, path: str, end: str):
    passport = passport_of(held, path)
    assert refusal(passport, path) == ""
    if end == "agent":
        revoke_agent(factories.signed_in(cast.grace), plate=cast.quill.plate)
    elif end == "credential":
        revoke_credential(factories.signed_in(cast.grace), credential_id=held.credential.pk)
    else:
        suspend_account(SystemActor(), owner_id=cast.grace.pk)
    assert refusal(passport, path) == "REVOKED"
    assert RestClient(held.token).post("/v1/agent-token", {}).code == "REVOKED"


def test_the_revocation_of_one_credential_leaves_the_passports_of_another(cast, held):
    other = passport_of(factories.make_credential(cast.quill))
    revoke_credential(factories.signed_in(cast.grace), credential_id=held.credential.pk)
    assert refusal(other) == ""


@pytest.mark.parametrize("path", DOORS)
@pytest.mark.parametrize("seconds", [1, 60, 900])
def test_it_ends_with_its_time(held, path: str, seconds: int):
    over = timedelta(seconds=seconds + SKEW_SECONDS)
    with shifted(-over + timedelta(seconds=30)):
        fresh = passport_of(held, path, ttlSec=seconds)
    with shifted(-over - timedelta(seconds=2)):
        ended = passport_of(held, path, ttlSec=seconds)
    assert refusal(fresh, path) == ""
    assert refusal(ended, path) == "INVALID_PASSPORT"


def test_it_ends_although_it_was_seen_before(held, monkeypatch):
    passport = passport_of(held, ttlSec=60)
    assert refusal(passport) == ""
    later = verified.time.time() + 60 + SKEW_SECONDS + 1
    monkeypatch.setattr(verified.time, "time", lambda: later)
    with pytest.MonkeyPatch.context() as clock:
        clock.setattr(jwt.api_jwt, "datetime", _At(later))
        assert refusal(passport) == "INVALID_PASSPORT"


def test_a_change_of_any_part_of_it_is_refused(held):
    header, payload, signature = passport_of(held).split(".")
    other_header, other_payload, other_signature = passport_of(held, "/mcp").split(".")
    assert header == other_header
    for tampered in (
        f"{header}.{other_payload}.{signature}",
        f"{header}.{payload}.{other_signature}",
        f"{header}.{payload}.",
        f"{header}.{payload}",
        f"{payload}.{header}.{signature}",
        f"{header}.{payload}.{signature}.{signature}",
    ):
        assert refusal(tampered) == refusal(tampered, "/mcp") == "INVALID_PASSPORT"


def test_no_other_algorithm_and_no_unknown_key_signs_one(held):
    passport = passport_of(held)
    claims = jwt.decode(passport, options={"verify_signature": False})
    kid = jwt.get_unverified_header(passport)["kid"]
    published = keys()[kid].public_bytes_raw()
    forge = Forge(held)
    header = {"kid": kid, "typ": "passport+jwt"}
    for token in (
        jwt.encode(claims, None, algorithm="none", headers=header),
        jwt.encode(claims, published.rjust(32, b"\0"), algorithm="HS256", headers=header),
        forge.token({"kid": "never-made"}),
        forge.token({"kid": "../../etc/passwd"}),
        forge.token({"jku": "https://elsewhere.example/jwks.json"}),
        forge.token({"typ": "receipt+jws"}),
    ):
        assert refusal(token) == "INVALID_PASSPORT"


def test_one_of_a_rotated_key_is_good_until_its_end_and_refused_after_the_keys(held):
    old = passport_of(held)
    rotate_keys(SystemActor())
    new = passport_of(held)
    assert jwt.get_unverified_header(old)["kid"] != jwt.get_unverified_header(new)["kid"]
    assert (refusal(old), refusal(new)) == ("", "")
    assert PASSPORT + timedelta(seconds=SKEW_SECONDS) < KEEP, "a key outlives what it signed"
    with shifted(-PASSPORT - timedelta(seconds=SKEW_SECONDS + 2)):
        ended = passport_of(held)
        rotate_keys(SystemActor())
    assert refusal(ended) == "INVALID_PASSPORT"
    rotate_keys(SystemActor(), at_once=True)
    assert refusal(old) == refusal(new) == "INVALID_PASSPORT"


@pytest.mark.parametrize("path", DOORS)
def test_anybody_verifies_it_with_the_published_keys(cast, held, path: str):
    passport = passport_of(held, path)
    claims = jwt.decode(
        passport,
        keys()[jwt.get_unverified_header(passport)["kid"]],
        algorithms=["EdDSA"],
        audience=BASE + path,
        issuer=BASE,
        options={"require": ["exp", "iat", "nbf", "jti", "sub"], "strict_aud": True},
    )
    assert (claims["sub"], claims["aid"], claims["own"]) == (cast.quill.plate, cast.quill.pk, cast.grace.pk)
    assert claims["cid"] == held.credential.pk
    assert "collaboration" not in claims


def test_a_server_publishes_a_key_before_anybody_asked_for_a_passport(held):
    assert keep_a_key.name in EVERY, "a beat runs everything once when it starts"
    keep_a_key()
    (kid,) = keys()
    keep_a_key()
    assert jwt.get_unverified_header(passport_of(held))["kid"] == kid
    assert list(keys()) == [kid]
    assert AuditRow.objects.get(act="key.make").record_id == kid


def test_keys_that_sign_no_more_are_published_as_long_as_they_verify(held):
    passport = passport_of(held)
    rotate_keys(SystemActor())
    kid = jwt.get_unverified_header(passport)["kid"]
    assert kid in keys()
    with shifted(KEEP):
        assert kid not in keys()


class _At:
    """A clock for the JWT library."""

    def __init__(self, seconds: float) -> None:
        self._seconds = seconds

    def now(self, tz: object = None) -> _At:
        return self

    def timestamp(self) -> float:
        return self._seconds
