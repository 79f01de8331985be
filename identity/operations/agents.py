"""Agents of a person: making, renaming, what they may do, and revoking."""

from __future__ import annotations

from typing import Any

from agentroom.core import limits
from agentroom.core.audit import Act, append_server
from agentroom.core.clock import db_now
from agentroom.core.errors import Conflict, LimitReached, Validation
from agentroom.core.operation import operation
from agentroom.core.scopes import Scope
from identity import departures
from identity.access import Keeper, account_for, agent_for
from identity.actors import HumanActor
from identity.ending import revoked
from identity.models import Agent, Credential, Host
from identity.names import name_key, normal_name
from identity.outputs import AgentCard
from identity.queries import card_of


@operation
def make_agent(actor: HumanActor, *, name: str, host: str = Host.GENERIC) -> AgentCard:
    """Make an agent with a plate of its own, the default scopes and the owner's verification."""
    name, host = normal_name(name), _known_host(host)
    owner = account_for(actor.owner_id, lock=True)
    if Agent.objects.filter(owner=owner, revoked_at=None).count() >= limits.AGENTS_PER_OWNER:
        raise LimitReached(
            f"You have {limits.AGENTS_PER_OWNER} agents, which is the most one person may have. "
            "Revoke one that is not needed, then make the new one.",
            limit=limits.AGENTS_PER_OWNER,
        )
    _require_free(name, owner.pk)
    agent = Agent.objects.create(
        owner=owner, name=name, name_key=name_key(name), host=host, verified=owner.verified, created_at=db_now()
    )
    append_server(actor, _act("agent.make", agent, {}, {"host": host, "scopes": agent.granted.names}))
    return card_of(agent)


@operation
def rename_agent(actor: HumanActor, *, plate: str, name: str) -> AgentCard:
    """Give an agent another name; its plate stays."""
    name = normal_name(name)
    account_for(actor.owner_id, lock=True)
    agent = _changeable(actor, plate)
    _require_free(name, agent.owner_id, but=agent.pk)
    agent.name, agent.name_key = name, name_key(name)
    agent.save(update_fields=["name", "name_key"])
    append_server(actor, _act("agent.rename", agent, {}, {"changed": ["name"]}))
    return card_of(agent)


@operation
def set_scopes(actor: HumanActor, *, plate: str, scopes: list[str]) -> AgentCard:
    """Say exactly what an agent may do. INVOKE lets a mention or a task start it."""
    wanted = _known_scopes(scopes)
    agent = _changeable(actor, plate)
    before, agent.scopes = agent.granted.names, int(wanted)
    agent.save(update_fields=["scopes"])
    append_server(actor, _act("agent.scopes", agent, {"scopes": before}, {"scopes": wanted.names}))
    return card_of(agent)


@operation
def set_host(actor: HumanActor, *, plate: str, host: str) -> AgentCard:
    """Say which runtime an agent connects from. Credentials keep the address they were made for."""
    host = _known_host(host)
    agent = _changeable(actor, plate)
    before, agent.host = agent.host, host
    agent.save(update_fields=["host"])
    append_server(actor, _act("agent.host", agent, {"host": before}, {"host": host}))
    return card_of(agent)


@operation
def set_may_turn_trust_on(actor: HumanActor, *, plate: str, allowed: bool) -> AgentCard:
    """Allow or forbid an agent to turn its owner's Trust on in a room. Turning Trust off is always allowed."""
    agent = _changeable(actor, plate)
    before, agent.may_turn_trust_on = agent.may_turn_trust_on, allowed
    agent.save(update_fields=["may_turn_trust_on"])
    append_server(
        actor, _act("agent.may_turn_trust_on", agent, {"may_turn_trust_on": before}, {"may_turn_trust_on": allowed})
    )
    return card_of(agent)


@operation
def revoke_agent(actor: Keeper, *, plate: str) -> AgentCard:
    """End an agent for good, with all its credentials: its next call fails. Its plate is never used again."""
    departures.agent_departs(actor, _changeable(actor, plate, lock=False).pk)
    agent = _changeable(actor, plate)
    agent.revoked_at = db_now()
    agent.save(update_fields=["revoked_at"])
    Credential.objects.filter(agent=agent, revoked_at=None).update(revoked_at=agent.revoked_at)
    append_server(actor, revoked(agent.plate))
    return card_of(agent)


def _changeable(actor: Keeper, plate: str, *, lock: bool = True) -> Agent:
    agent = agent_for(actor, plate, lock=lock)
    if agent.revoked_at is not None:
        raise Conflict("This agent is revoked, which is final. Make a new agent instead.")
    return agent


def _require_free(name: str, owner_id: str, *, but: str = "") -> None:
    if Agent.objects.filter(owner_id=owner_id, name_key=name_key(name)).exclude(pk=but).exists():
        raise Conflict(
            "You have, or had, an agent of this name. Choose another name.", fields={"name": "is used by another agent"}
        )


def _known_host(host: str) -> str:
    if host not in Host.values:
        raise Validation("There is no such host.", fields={"host": f"must be one of {', '.join(Host.values)}"})
    return host


def _known_scopes(names: list[str]) -> Scope:
    try:
        return Scope.of(names)
    except KeyError:
        known = ", ".join(member.name for member in Scope if member.name)
        raise Validation("There is no such scope.", fields={"scopes": f"must be of {known}"}) from None


def _act(act: str, agent: Agent, before: dict[str, Any], after: dict[str, Any]) -> Act:
    return Act(act=act, record_kind="agent", record_id=agent.plate, before=before, after=after)
