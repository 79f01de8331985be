"""From a presented token to an actor. Every door of the agents comes through here, on every call.

Revocation of agent, credential and account is read in the same statement as the credential (AR-6.2).
"""

from __future__ import annotations

from dataclasses import dataclass
from datetime import UTC, datetime
from typing import Any
from urllib.parse import urlsplit

from django.db.models import Expression, IntegerField, OuterRef, QuerySet, Subquery, Value

from agentroom.core.errors import IdentityRequired, InvalidPassport, Revoked
from agentroom.core.prepared import Prepared
from agentroom.core.scopes import Scope
from identity import passports, tokens, verified
from identity.actors import AgentActor
from identity.models import Credential, Instance, SigningKey
from identity.places import V1, path_of, v1_resource

__all__ = ["authenticate", "register_inbox_count", "v1_resource"]

# Rooms register how to count an agent's open inbox items, so that one statement serves the whole call.
_inbox_count: list[Expression | Subquery] = []

COLUMNS = (
    "id",
    "secret_hash",
    "host",
    "revoked_at",
    "agent_id",
    "agent__plate",
    "agent__name",
    "agent__scopes",
    "agent__verified",
    "agent__host",
    "agent__revoked_at",
    "agent__owner_id",
    "agent__owner__handle",
    "agent__owner__is_active",
    "instance",
    "inbox",
    "kid",
    "key_refused_after",
)


@dataclass(frozen=True, slots=True)
class _Found:
    """One credential with its agent and owner, as one statement returns it. The order is that of `COLUMNS`."""

    credential_id: str
    secret_hash: str
    bound_host: str
    revoked_at: datetime | None
    agent_id: str
    plate: str
    name: str
    scopes: int
    verified: bool
    host: str
    agent_revoked_at: datetime | None
    owner_id: str
    owner_handle: str
    owner_is_active: bool
    instance: str | None
    inbox: int | None
    kid: str | None
    key_refused_after: datetime | None


def register_inbox_count(expression: Expression | Subquery) -> None:
    """Called once by rooms; `OuterRef("agent_id")` is the agent."""
    _inbox_count[:] = [expression]


def authenticate(token: str, *, resource: str, via_url: bool = False) -> AgentActor:
    """The agent behind a passport or a bearer credential presented at `resource` (an exact URL of this server).

    Raises `IdentityRequired` without a token, `InvalidPassport` for one that is not valid here, and `Revoked` once
    the agent, the credential or the account behind it has been revoked.
    """
    if not token:
        raise IdentityRequired("This address needs an agent's credential. Send it as `Authorization: Bearer …`.")
    if tokens.is_credential(token):
        return _by_credential(token, resource)
    if via_url:
        raise InvalidPassport("Only a credential may be sent in the address. Send a passport as a bearer token.")
    return _by_passport(token, resource)


def _by_credential(token: str, resource: str) -> AgentActor:
    prefix, secret = tokens.split(token)
    found = _found(_BY_PREFIX.first_row(prefix=prefix)) if prefix else None
    if found is None or not tokens.matches(secret, found.secret_hash):
        raise InvalidPassport("This credential is not known here. Make a new one on the agent's page.")
    return _actor(found, resource, Scope(found.scopes), None)


def _by_passport(token: str, resource: str) -> AgentActor:
    passport = verified.claims_of(token, resource=resource)
    claims = passport.claims
    found = _found(_BY_ID.first_row(credential_id=claims.credential_id, kid=passport.kid))
    if found is None or (found.plate, found.agent_id, found.owner_id) != (
        claims.plate,
        claims.agent_id,
        claims.owner_id,
    ):
        raise InvalidPassport("This passport belongs to no credential of this server.")
    if found.kid is None or (found.key_refused_after and found.key_refused_after <= datetime.now(UTC)):
        raise passports.invalid()
    if claims.device_id is not None:
        # No device can be looked up yet, so none can be found revoked.
        raise passports.invalid()
    return _actor(found, resource, claims.scopes & Scope(found.scopes), claims.instance_id, by_passport=True)


def _find(kid: str = "", **lookup: str) -> QuerySet[Credential, Any]:
    default = Instance.objects.filter(credential=OuterRef("pk"), is_default=True).values("name")[:1]
    inbox = _inbox_count[0] if _inbox_count else Value(0, output_field=IntegerField())
    key = SigningKey.objects.filter(kid=kid)
    found = Credential.objects.filter(**lookup).annotate(
        instance=Subquery(default),
        inbox=inbox,
        kid=Subquery(key.values("kid")[:1]),
        key_refused_after=Subquery(key.values("refused_after")[:1]),
    )
    return found.values_list(*COLUMNS)[:1]


_BY_PREFIX = Prepared(lambda prefix: _find(prefix=prefix))
_BY_ID = Prepared(lambda credential_id, kid: _find(pk=credential_id, kid=kid))


def _found(row: tuple[Any, ...] | None) -> _Found | None:
    return None if row is None else _Found(*row)


def _actor(
    found: _Found, resource: str, scopes: Scope, instance: str | None, *, by_passport: bool = False
) -> AgentActor:
    if found.revoked_at or found.agent_revoked_at or not found.owner_is_active:
        raise Revoked("This identity was revoked. Ask the agent's owner to make a new credential.")
    _require_place(found.bound_host, resource)
    return AgentActor(
        agent_id=found.agent_id,
        plate=found.plate,
        name=found.name,
        owner_id=found.owner_id,
        owner_handle=found.owner_handle,
        scopes=scopes,
        credential_id=found.credential_id,
        instance_id=instance or found.instance or found.credential_id,
        host=found.bound_host or found.host,
        verified=found.verified,
        pending_mentions=found.inbox or 0,
        instance_is_claimed=instance is not None,
        by_passport=by_passport,
    )


def _require_place(bound_host: str, resource: str) -> None:
    """A host-bound credential works at its host's resource and `/v1` only; an unbound one at `/mcp` and `/v1`."""
    own = path_of(bound_host)
    if urlsplit(resource).path not in {own, V1}:
        raise InvalidPassport(f"This credential works at {own} and {V1} only. Connect there instead.")
