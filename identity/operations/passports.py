"""Passports that an agent asks for itself, to send them in place of its credential."""

from __future__ import annotations

from datetime import timedelta
from urllib.parse import urlsplit

from agentroom.core.audit import Act, append_server
from agentroom.core.clock import db_now
from agentroom.core.errors import Forbidden, ForbiddenScope, Revoked, Validation
from agentroom.core.limits import PASSPORT
from agentroom.core.operation import operation
from agentroom.core.scopes import Scope
from identity import passports
from identity.actors import AgentActor
from identity.models import Credential
from identity.outputs import NewPassport
from identity.passports import Claims
from identity.places import V1, path_of


@operation
def mint_passport(
    actor: AgentActor,
    *,
    resource: str,
    plate: str | None = None,
    scopes: list[str] | None = None,
    lifetime: timedelta = PASSPORT,
) -> NewPassport:
    """Make a passport for the calling agent, good at `resource` only, with at most the agent's own scopes.

    The passport is in this answer and nowhere else, so there is no idempotency key: a receipt would keep it.
    """
    credential = _credential_of(actor)
    agent = credential.agent
    _require_own(agent.plate, plate)
    _require_place(credential.host, resource)
    granted = agent.granted if scopes is None else _within(agent.granted, scopes)
    now = db_now().replace(microsecond=0)
    claims = Claims(
        plate=agent.plate,
        agent_id=agent.pk,
        owner_id=agent.owner_id,
        scopes=granted,
        credential_id=credential.pk,
        resource=resource,
    )
    passport = passports.mint(claims, lifetime, issued=now)
    after = {
        "agent": agent.plate,
        "jti": claims.jti,
        "resource": resource,
        "scopes": granted.names,
        "seconds": int(lifetime.total_seconds()),
    }
    append_server(
        actor, Act(act="passport.mint", record_kind="credential", record_id=credential.pk, before={}, after=after)
    )
    return NewPassport(
        passport=passport, plate=agent.plate, resource=resource, scopes=granted.names, expires_at=now + lifetime
    )


def _credential_of(actor: AgentActor) -> Credential:
    """The credential that was sent, as it stands now. Whoever holds a passport only cannot make it last longer."""
    if actor.by_passport:
        raise Forbidden("A passport makes no other passport. Send the agent's credential itself to get a new one.")
    credential = Credential.objects.select_related("agent").get(pk=actor.credential_id)
    if credential.revoked_at or credential.agent.revoked_at:
        raise Revoked("This identity was revoked. Ask the agent's owner to make a new credential.")
    return credential


def _require_own(own: str, plate: str | None) -> None:
    if plate is not None and plate != own:
        raise Forbidden(f"This credential is that of {own} and makes passports for no other agent.")


def _require_place(host: str, resource: str) -> None:
    if urlsplit(resource).path not in {path_of(host), V1}:
        problem = f"must be the address of {path_of(host)} or of {V1}, where this credential works"
        raise Validation(f"resource {problem}. Nothing was made.", fields={"resource": problem})


def _within(granted: Scope, names: list[str]) -> Scope:
    wanted = Scope.of(names)
    if missing := wanted & ~granted:
        raise ForbiddenScope(
            f"This agent does not have {', '.join(missing.names)}, so no passport of it can. "
            "Ask for less, or let its owner turn it on on the agent's page.",
            scope=missing.names[0],
        )
    return wanted
