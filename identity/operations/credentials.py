"""Bearer credentials of an agent: minted with a fresh verification, shown once, revoked at any time."""

from __future__ import annotations

from agentroom.core import limits
from agentroom.core.audit import Act, append_server
from agentroom.core.clock import db_now
from agentroom.core.errors import Conflict, LimitReached, Validation
from agentroom.core.operation import operation
from identity import tokens
from identity.access import Keeper, agent_for, credential_for
from identity.actors import HumanActor
from identity.freshness import require_fresh
from identity.models import Agent, Credential, Host, Instance
from identity.outputs import CredentialCard, NewCredential
from identity.places import binding_of, resource_of
from identity.queries import credential_card_of


@operation
def mint_credential(actor: Keeper, *, plate: str, label: str = "", host: str = "") -> NewCredential:
    """Make a credential, bound to the address of `host` or, without one, to the plain address.

    The token is in this answer and nowhere else, so there is no idempotency key: a receipt would keep it.
    """
    host, label = _known_binding(host), _short(label)
    agent = agent_for(actor, plate, lock=True)
    _require_room_for_one(agent)
    if isinstance(actor, HumanActor):
        require_fresh(actor)
    new, now = tokens.make(), db_now()
    credential = Credential.objects.create(
        agent=agent,
        label=label,
        prefix=new.prefix,
        secret_hash=new.secret_hash,
        host=host,
        created_at=now,
        created_by_id=agent.owner_id,
    )
    Instance.objects.create(
        agent=agent, credential=credential, name=credential.pk, is_default=True, host=host, created_at=now
    )
    append_server(actor, _act("credential.mint", credential, {}, {"agent": agent.plate, "host": host}))
    return NewCredential(
        credential_id=credential.pk,
        plate=agent.plate,
        label=label,
        host=host,
        resource=resource_of(host),
        token=new.text,
    )


@operation
def revoke_credential(actor: Keeper, *, credential_id: str) -> CredentialCard:
    """End a credential for good: its next call, and that of every passport made from it, fails."""
    credential = credential_for(actor, credential_id, lock=True)
    if credential.revoked_at is not None:
        raise Conflict("This credential is revoked already.")
    credential.revoked_at = db_now()
    credential.save(update_fields=["revoked_at"])
    append_server(actor, _act("credential.revoke", credential, {"state": "active"}, {"state": "revoked"}))
    return credential_card_of(credential)


def _require_room_for_one(agent: Agent) -> None:
    if agent.revoked_at is not None:
        raise Conflict("This agent is revoked, which is final. Make a new agent instead.")
    if Credential.objects.filter(agent=agent, revoked_at=None).count() >= limits.CREDENTIALS_PER_AGENT:
        raise LimitReached(
            f"This agent has {limits.CREDENTIALS_PER_AGENT} credentials, which is the most it may have. "
            "Revoke those that are not used, then make the new one.",
            limit=limits.CREDENTIALS_PER_AGENT,
        )


def _known_binding(host: str) -> str:
    if host and host not in Host.values:
        raise Validation("There is no such host.", fields={"host": f"must be one of {', '.join(Host.values)}"})
    return binding_of(host)


def _short(label: str) -> str:
    label = label.strip()
    if len(label) > limits.NAME_CHARACTERS or not label.isprintable():
        problem = f"must be one line of at most {limits.NAME_CHARACTERS} characters, got {len(label)}"
        raise Validation("This label cannot be used.", fields={"label": problem})
    return label


def _act(act: str, credential: Credential, before: dict[str, str], after: dict[str, str]) -> Act:
    return Act(act=act, record_kind="credential", record_id=credential.pk, before=before, after=after)
