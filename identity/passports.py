"""Passports: Ed25519 JWTs of 15 minutes (seed 000, "Identity"). Signing, strict verification, and the JWKS.

The library accepts more than we do (reliability F14), so the form of a token is checked before it and every claim
after it.
"""

from __future__ import annotations

import base64
import re
import time
from dataclasses import dataclass, field
from datetime import datetime, timedelta
from typing import Any

import jwt
from django.conf import settings

from agentroom.core.clock import db_now
from agentroom.core.errors import InvalidPassport
from agentroom.core.guard import parse_json
from agentroom.core.ids import ulid
from agentroom.core.limits import PASSPORT
from agentroom.core.scopes import ALL, Scope
from identity import keyring
from identity.models import SigningKey

TYPE = "passport+jwt"
HEADER = {"alg", "kid", "typ"}
TEXTS = ("sub", "aid", "own", "cid", "jti")
TIMES = ("iat", "nbf", "exp")
REQUIRED = {"iss", "aud", "scopes", *TEXTS, *TIMES}
OPTIONAL = {"ins", "did", "collaboration"}
KID = re.compile(r"[A-Za-z0-9_-]{1,64}")
FORM = re.compile(r"[A-Za-z0-9_-]+\.[A-Za-z0-9_-]+\.[A-Za-z0-9_-]+")
SKEW_SECONDS = 60
TOKEN_CHARACTERS = 4096


@dataclass(frozen=True, slots=True, kw_only=True)
class Claims:
    """What a passport says. `resource` is its audience: the exact MCP resource URL, or the `/v1` URL.

    A caller that sends its credential needs no signed passport: authentication makes the same claims from the
    credential's record for that one call.
    """

    plate: str
    agent_id: str
    owner_id: str
    scopes: Scope
    credential_id: str
    resource: str
    instance_id: str | None = None
    device_id: str | None = None
    collaboration: dict[str, Any] | None = None
    jti: str = field(default_factory=ulid)


@dataclass(frozen=True, slots=True)
class Verified:
    """Claims whose signature held, the key that made it, and when they end (seconds since 1970)."""

    claims: Claims
    kid: str
    expires: int


def mint(claims: Claims, lifetime: timedelta = PASSPORT, *, issued: datetime | None = None) -> str:
    """Sign a passport with the newest key. `lifetime` is at most 15 minutes, from `issued` or from now."""
    key = keyring.signing_key()
    begins = int((issued or db_now()).timestamp())
    payload: dict[str, Any] = {
        "iss": settings.AGENTROOM_BASE_URL,
        "aud": claims.resource,
        "sub": claims.plate,
        "aid": claims.agent_id,
        "own": claims.owner_id,
        "scopes": int(claims.scopes),
        "cid": claims.credential_id,
        "iat": begins,
        "nbf": begins,
        "exp": begins + int(min(lifetime, PASSPORT).total_seconds()),
        "jti": claims.jti,
        "ins": claims.instance_id,
        "did": claims.device_id,
        "collaboration": claims.collaboration,
    }
    present = {name: value for name, value in payload.items() if value is not None}
    return jwt.encode(present, key.private, algorithm="EdDSA", headers={"kid": key.kid, "typ": TYPE})


def verify(token: str, *, resource: str) -> Verified:
    """The claims of a passport made for exactly `resource`. Raises `InvalidPassport` for anything else."""
    try:
        kid = _kid_of(token)
        payload = _payload_of(token)
        _require_signature(token, kid, resource)
        return Verified(_claims_of(payload), kid, payload["exp"])
    except InvalidPassport:
        raise
    except Exception as error:  # whatever a hostile token triggers inside a parser is a refusal (F14)
        raise invalid() from error


def jwks() -> dict[str, Any]:
    """The public halves of all keys that still verify, as a JWK set."""
    now = db_now()
    return {
        "keys": [
            {
                "kty": "OKP",
                "crv": "Ed25519",
                "use": "sig",
                "alg": "EdDSA",
                "kid": key.kid,
                "x": base64.urlsafe_b64encode(bytes(key.public_raw)).rstrip(b"=").decode(),
            }
            for key in SigningKey.objects.order_by("created_at")
            if key.refused_after is None or key.refused_after > now
        ]
    }


def invalid() -> InvalidPassport:
    return InvalidPassport(
        "This passport is not valid here: it is expired, malformed or made for another address. "
        "Get a new one from your credential."
    )


def _kid_of(token: str) -> str:
    if len(token) > TOKEN_CHARACTERS or not FORM.fullmatch(token):
        raise invalid()
    header = _json_of(token.split(".")[0])
    kid = header.get("kid")
    if set(header) != HEADER or header["alg"] != "EdDSA" or header["typ"] != TYPE:
        raise invalid()
    if not isinstance(kid, str) or not KID.fullmatch(kid):
        raise invalid()
    return kid


def _payload_of(token: str) -> dict[str, Any]:
    """The payload, read by our own guard: the library would let the last of two equal claims win."""
    _bytes_of(token.split(".")[2])
    payload = _json_of(token.split(".")[1])
    if not REQUIRED <= set(payload) <= REQUIRED | OPTIONAL:
        raise invalid()
    return payload


def _require_signature(token: str, kid: str, resource: str) -> None:
    public = keyring.public_key(kid)
    if public is None:
        raise invalid()
    jwt.decode(
        token,
        public,
        algorithms=["EdDSA"],
        audience=resource,
        issuer=settings.AGENTROOM_BASE_URL,
        leeway=SKEW_SECONDS,
        options={"require": sorted(REQUIRED - {"scopes"}), "strict_aud": True},
    )


def _claims_of(payload: dict[str, Any]) -> Claims:
    issued, begins, ends = times = [payload[name] for name in TIMES]
    if not all(type(value) is int and 0 < value < 2**40 for value in times):
        raise invalid()
    if not begins <= time.time() + SKEW_SECONDS or not 0 < ends - min(issued, begins) <= PASSPORT.total_seconds():
        raise invalid()
    optional = [payload[name] for name in ("ins", "did") if name in payload]
    if not all(isinstance(text, str) and 1 <= len(text) <= 64 for text in [*(payload[t] for t in TEXTS), *optional]):
        raise invalid()
    if type(payload["scopes"]) is not int or not 0 <= payload["scopes"] <= int(ALL):
        raise invalid()
    if not isinstance(payload.get("collaboration", {}), dict):
        raise invalid()
    return Claims(
        plate=payload["sub"],
        agent_id=payload["aid"],
        owner_id=payload["own"],
        scopes=Scope(payload["scopes"]),
        credential_id=payload["cid"],
        resource=payload["aud"],
        instance_id=payload.get("ins"),
        device_id=payload.get("did"),
        collaboration=payload.get("collaboration"),
        jti=payload["jti"],
    )


def _json_of(part: str) -> dict[str, Any]:
    value = parse_json(_bytes_of(part))
    if not isinstance(value, dict):
        raise invalid()
    return value


def _bytes_of(part: str) -> bytes:
    """Base64url in its one canonical spelling: the spare bits of the last character must be zero."""
    raw = base64.urlsafe_b64decode(part + "=" * (-len(part) % 4))
    if base64.urlsafe_b64encode(raw).rstrip(b"=").decode() != part:
        raise invalid()
    return raw
