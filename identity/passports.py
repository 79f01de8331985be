"""Passports: Ed25519 JWTs of 15 minutes (seed 000, "Identity"). Signing, strict verification, and the JWKS.

The library accepts more than we do (reliability F14), so every claim that matters is checked here.
"""

from __future__ import annotations

import base64
import re
from dataclasses import dataclass, field
from datetime import timedelta
from typing import Any

import jwt
from cryptography.hazmat.primitives.asymmetric.ed25519 import Ed25519PublicKey
from django.conf import settings

from agentroom.core.clock import db_now
from agentroom.core.errors import InvalidPassport
from agentroom.core.ids import ulid
from agentroom.core.limits import PASSPORT
from agentroom.core.scopes import ALL, Scope
from identity import keyring
from identity.models import SigningKey

TYPE = "passport+jwt"
REQUIRED = ("iss", "aud", "sub", "aid", "own", "scopes", "cid", "iat", "nbf", "exp", "jti")
KID = re.compile(r"[A-Za-z0-9_-]{1,64}")
SKEW_SECONDS = 60
TOKEN_CHARACTERS = 4096


@dataclass(frozen=True, slots=True, kw_only=True)
class Claims:
    """What a passport says. `resource` is its audience: the exact MCP resource URL, or the `/v1` URL."""

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


def mint(claims: Claims, lifetime: timedelta = PASSPORT) -> str:
    """Sign a passport with the newest key. `lifetime` is at most 15 minutes."""
    key = keyring.signing_key()
    issued = int(db_now().timestamp())
    payload: dict[str, Any] = {
        "iss": settings.AGENTROOM_BASE_URL,
        "aud": claims.resource,
        "sub": claims.plate,
        "aid": claims.agent_id,
        "own": claims.owner_id,
        "scopes": int(claims.scopes),
        "cid": claims.credential_id,
        "iat": issued,
        "nbf": issued,
        "exp": issued + int(min(lifetime, PASSPORT).total_seconds()),
        "jti": claims.jti,
        "ins": claims.instance_id,
        "did": claims.device_id,
        "collaboration": claims.collaboration,
    }
    present = {name: value for name, value in payload.items() if value is not None}
    return jwt.encode(present, key.private, algorithm="EdDSA", headers={"kid": key.kid, "typ": TYPE})


def verify(token: str, *, resource: str) -> Claims:
    """The claims of a passport made for exactly `resource`. Raises `InvalidPassport` for anything else."""
    try:
        return _claims_of(_payload_of(token, resource))
    except InvalidPassport:
        raise
    except Exception as error:  # whatever a hostile token triggers inside the library is a refusal (F14)
        raise _invalid() from error


def jwks() -> dict[str, Any]:
    """The public halves of all keys that still verify, as a JWK set."""
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
            if key.refused_after is None or key.refused_after > db_now()
        ]
    }


def _payload_of(token: str, resource: str) -> dict[str, Any]:
    if len(token) > TOKEN_CHARACTERS or not token.isascii() or token.endswith("="):
        raise _invalid()
    header = jwt.get_unverified_header(token)
    kid = header.get("kid")
    if set(header) != {"alg", "kid", "typ"} or header["typ"] != TYPE or header["alg"] != "EdDSA":
        raise _invalid()
    if not isinstance(kid, str) or not KID.fullmatch(kid):
        raise _invalid()
    public = keyring.public_key(kid)
    if not isinstance(public, Ed25519PublicKey):
        raise _invalid()
    payload: dict[str, Any] = jwt.decode(
        token,
        public,
        algorithms=["EdDSA"],
        audience=resource,
        issuer=settings.AGENTROOM_BASE_URL,
        leeway=SKEW_SECONDS,
        options={"require": list(REQUIRED), "strict_aud": True},
    )
    return payload


def _claims_of(payload: dict[str, Any]) -> Claims:
    times = [payload[name] for name in ("iat", "nbf", "exp")]
    if not all(type(value) is int for value in times) or payload["exp"] - payload["iat"] > PASSPORT.total_seconds():
        raise _invalid()
    texts = [payload[name] for name in ("sub", "aid", "own", "cid", "jti")]
    if not all(isinstance(value, str) and 1 <= len(value) <= 64 for value in texts):
        raise _invalid()
    if type(payload["scopes"]) is not int or not 0 <= payload["scopes"] <= int(ALL):
        raise _invalid()
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


def _invalid() -> InvalidPassport:
    return InvalidPassport(
        "This passport is not valid here: it is expired, malformed or made for another address. "
        "Get a new one from your credential."
    )
