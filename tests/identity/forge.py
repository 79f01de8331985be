"""Makes passports as an attacker with our signing key would: any header, any claims, any bytes."""

from __future__ import annotations

import base64
import json
import time
from typing import Any

from agentroom.core.ids import ulid
from identity import keyring
from identity.authentication import v1_resource
from identity.passports import TYPE
from tests.factories import Held

ABSENT = object()


class Forge:
    """Signs anything at all with the server's real key, or with another."""

    def __init__(self, held: Held) -> None:
        self.held, credential = held, held.credential
        self.key = keyring.signing_key()
        agent, now = credential.agent, int(time.time())
        self.header: dict[str, Any] = {"alg": "EdDSA", "kid": self.key.kid, "typ": TYPE}
        self.claims: dict[str, Any] = {
            "iss": v1_resource().removesuffix("/v1"),
            "aud": v1_resource(),
            "sub": agent.plate,
            "aid": agent.pk,
            "own": agent.owner_id,
            "scopes": 15,
            "cid": credential.pk,
            "iat": now,
            "nbf": now,
            "exp": now + 900,
            "jti": ulid(),
        }

    def token(self, header: dict[str, Any] | None = None, **claims: Any) -> str:
        """A token signed with our key; ABSENT takes a member away."""
        return self.sign(dumps({**self.header, **(header or {})}), dumps({**self.claims, **claims}))

    def sign(self, header: str, payload: str) -> str:
        signed = f"{b64(header.encode(errors='surrogatepass'))}.{b64(payload.encode(errors='surrogatepass'))}"
        return f"{signed}.{b64(self.key.private.sign(signed.encode()))}"

    def unsigned(self, header: dict[str, Any]) -> str:
        return f"{b64(dumps({**self.header, **header}).encode())}.{b64(dumps(self.claims).encode())}"


def dumps(value: dict[str, Any]) -> str:
    return json.dumps({name: item for name, item in value.items() if item is not ABSENT})


def b64(raw: bytes) -> str:
    return base64.urlsafe_b64encode(raw).rstrip(b"=").decode()
