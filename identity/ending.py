"""Steps by which access ends. They run inside the caller's transaction and take effect on the very next call."""

from __future__ import annotations

from datetime import datetime

from allauth.usersessions.models import UserSession
from django.contrib.sessions.models import Session

from agentroom.core.audit import Act, append_server
from identity.actors import AnyActor
from identity.models import Agent, Credential


def end_sessions_of(owner_id: str, *, keep: str = "") -> int:
    """Sign a person out everywhere, except in the session whose key is `keep`; in how many places."""
    listed = UserSession.objects.filter(user_id=owner_id).exclude(session_key=keep)
    ended, _ = Session.objects.filter(pk__in=list(listed.values_list("session_key", flat=True))).delete()
    listed.delete()
    return ended


def revoke_agents(actor: AnyActor, now: datetime, *, owner_id: str) -> int:
    """Revoke all agents of a person, with every credential they have; how many."""
    plates = list(Agent.objects.filter(owner_id=owner_id, revoked_at=None).values_list("plate", flat=True))
    Credential.objects.filter(agent__owner_id=owner_id, revoked_at=None).update(revoked_at=now)
    Agent.objects.filter(owner_id=owner_id, revoked_at=None).update(revoked_at=now)
    append_server(actor, *(revoked(plate) for plate in plates))
    return len(plates)


def revoked(plate: str) -> Act:
    """The audited act of revoking an agent."""
    return Act(
        act="agent.revoke",
        record_kind="agent",
        record_id=plate,
        before={"state": "active"},
        after={"state": "revoked"},
    )
