"""Loads what belongs to a person. Another's agent or credential is not found, exactly as one that never was."""

from __future__ import annotations

from typing import TypeVar

from django.db import connection
from django.db.models import QuerySet

from agentroom.core.errors import NotFound
from identity.actors import HumanActor, SystemActor
from identity.models import Agent, Credential, Owner

# Who may look after agents: their owner, or an operator for everyone's.
Keeper = HumanActor | SystemActor

Row = TypeVar("Row", Agent, Credential, Owner)


def agent_for(actor: Keeper, plate: str, *, lock: bool = False) -> Agent:
    """The agent of that plate; `lock` takes its row lock."""
    agents = Agent.objects.filter(plate=plate, **_within(actor, "owner_id"))
    agent = (_locked(agents) if lock else agents).first()
    if agent is None:
        raise NotFound("You have no agent with this plate. The agents page lists yours.")
    return agent


def credential_for(actor: Keeper, credential_id: str, *, lock: bool = False) -> Credential:
    """The credential, with its agent; `lock` takes its row lock."""
    credentials = Credential.objects.filter(pk=credential_id, **_within(actor, "agent__owner_id"))
    credential = (_locked(credentials) if lock else credentials.select_related("agent")).first()
    if credential is None:
        raise NotFound("You have no such credential. The agent's page lists those it has.")
    return credential


def account_for(owner_id: str, *, lock: bool = False) -> Owner:
    """An account that exists and is not deleted; `lock` takes its row lock."""
    owners = Owner.objects.filter(pk=owner_id, deleted_at=None)
    owner = (_locked(owners) if lock else owners).first()
    if owner is None:
        raise NotFound("There is no such account.")
    return owner


def _within(actor: Keeper, field: str) -> dict[str, str]:
    return {field: actor.owner_id} if isinstance(actor, HumanActor) else {}


def _locked(rows: QuerySet[Row]) -> QuerySet[Row]:
    return rows.select_for_update(no_key=connection.vendor == "postgresql")
