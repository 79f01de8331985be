"""What the pages and `whoami` read: agents, credentials, instances and sessions of one person."""

from __future__ import annotations

from typing import Any

from allauth.usersessions.models import UserSession
from django.db.models import Max

from agentroom.core.clock import db_now
from agentroom.core.digest import sha256_hex
from agentroom.core.limits import INSTANCE_LIVE, PAGE_MAX, SESSION_IDLE, SESSION_LIFE, SESSION_OF_CALLS
from identity.access import Keeper, agent_for
from identity.actors import AgentActor, HumanActor
from identity.models import Agent, Credential, Instance
from identity.outputs import (
    AgentCard,
    AgentList,
    CredentialCard,
    CredentialList,
    Identity,
    InstanceCard,
    InstanceList,
    SessionCard,
    SessionList,
)
from identity.sessions import session_id, signed_in_all


def whoami(actor: AgentActor) -> Identity:
    """Who calls, as the server sees it: from the passport and the record, never from an argument."""
    return Identity(
        plate=actor.plate,
        name=actor.name,
        owner=actor.owner_handle,
        verified=actor.verified,
        scopes=actor.scopes.names,
        pending_mentions=actor.pending_mentions,
        session_id=session_of(actor),
        instance_id=actor.instance_id,
    )


def session_of(actor: AgentActor) -> str:
    """The session of a call: that of the instance it names, else of the credential within the present 12 hours."""
    if actor.instance_id != actor.credential_id:
        return f"ses_{sha256_hex(f'{actor.agent_id}:{actor.instance_id}'.encode())[:24]}"
    window = int(db_now().timestamp() // SESSION_OF_CALLS.total_seconds())
    return f"ses_{sha256_hex(f'{actor.credential_id}:{window}'.encode())[:24]}"


def agents_of(actor: HumanActor) -> AgentList:
    """One's own agents: those at work first, then the revoked ones, newest first."""
    rows = list(_agents(owner_id=actor.owner_id).order_by("revoked_at", "-pk")[: PAGE_MAX + 1])
    rows.sort(key=lambda agent: agent.revoked_at is not None)
    return AgentList(agents=[card_of(agent) for agent in rows[:PAGE_MAX]], truncated=len(rows) > PAGE_MAX)


def agent_card(actor: Keeper, plate: str) -> AgentCard:
    """One of one's own agents."""
    return card_of(_agents(pk=agent_for(actor, plate).pk)[0])


def credentials_of(actor: Keeper, plate: str) -> CredentialList:
    """The credentials of one's own agent, newest first, revoked ones included."""
    credentials = Credential.objects.filter(agent=agent_for(actor, plate)).select_related("agent")
    rows = list(credentials.annotate(seen=Max("instances__last_seen_at")).order_by("-pk")[: PAGE_MAX + 1])
    cards = [credential_card_of(row) for row in rows[:PAGE_MAX]]
    return CredentialList(credentials=cards, truncated=len(rows) > PAGE_MAX)


def instances_of(actor: Keeper, plate: str) -> InstanceList:
    """The running copies of one's own agent, last seen first."""
    now = db_now()
    seen = Instance.objects.filter(agent=agent_for(actor, plate)).exclude(last_seen_at=None)
    rows = list(seen.order_by("-last_seen_at")[: PAGE_MAX + 1])
    cards = [
        InstanceCard(
            instance_id=row.name,
            host=row.host,
            workspace=row.workspace,
            live=row.last_seen_at is not None and now - row.last_seen_at <= INSTANCE_LIVE,
            last_seen_at=row.last_seen_at,
        )
        for row in rows[:PAGE_MAX]
    ]
    return InstanceList(instances=cards, truncated=len(rows) > PAGE_MAX)


def sessions_of(actor: HumanActor) -> SessionList:
    """Where one is signed in, the present session first, then by when it was last seen."""
    listed = {row.session_key: row for row in UserSession.objects.filter(user_id=actor.owner_id)}
    cards = [
        SessionCard(
            session_id=session_id(key),
            current=key == actor.session_key,
            device=listed[key].user_agent,
            address=listed[key].ip,
            signed_in_at=found.signed_in_at,
            verified_at=found.verified_at,
            seen_at=found.seen_at,
            expires_at=min(found.signed_in_at + SESSION_LIFE, found.seen_at + SESSION_IDLE),
        )
        for key, found in signed_in_all(listed).items()
    ]
    cards.sort(key=lambda card: (card.current, card.seen_at), reverse=True)
    return SessionList(sessions=cards)


def card_of(agent: Agent) -> AgentCard:
    return AgentCard(
        plate=agent.plate,
        name=agent.name,
        owner=agent.owner.handle,
        host=agent.host,
        scopes=agent.granted.names,
        verified=agent.verified,
        may_turn_trust_on=agent.may_turn_trust_on,
        created_at=agent.created_at,
        last_seen_at=getattr(agent, "seen", None),
        revoked_at=agent.revoked_at,
    )


def credential_card_of(credential: Credential) -> CredentialCard:
    return CredentialCard(
        credential_id=credential.pk,
        plate=credential.agent.plate,
        label=credential.label,
        prefix=credential.prefix,
        host=credential.host,
        created_at=credential.created_at,
        last_seen_at=getattr(credential, "seen", None),
        revoked_at=credential.revoked_at,
    )


def _agents(**which: Any) -> Any:
    return Agent.objects.filter(**which).select_related("owner").annotate(seen=Max("instances__last_seen_at"))
