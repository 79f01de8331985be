"""The scene of the contract tests: Harbour with its cast, Lagoon of strangers, and everybody who may knock."""

from __future__ import annotations

from dataclasses import dataclass, field
from datetime import timedelta
from typing import Any

from django.conf import settings

from agentroom.core.clock import db_now
from agentroom.core.ids import ulid
from agentroom.core.scopes import ALL, Scope
from identity.authentication import v1_resource
from identity.models import Agent, Owner
from identity.operations.agents import revoke_agent
from rooms.models import Room
from rooms.operations.messages import send_message
from tests import factories
from tests.clients import McpClient, RestClient
from tests.conftest import Cast

INSTANCE = "main"


@dataclass
class World:
    """Who there is, and one record of each kind on either side. `$name` in the matrix is `names[name]`."""

    cast: Cast
    mallory: Owner
    drift: Agent  # ada's, in no room
    stray: Agent  # mallory's, in Lagoon only
    lagoon: Room
    names: dict[str, Any] = field(default_factory=dict)
    foreign: dict[str, Any] = field(default_factory=dict)

    def own(self, caller: Agent) -> dict[str, Any]:
        """The names as this caller means them: `$mention` is in its own inbox."""
        mine = self.names.get(f"mention of {caller.name}", self.names["mention"])
        return {**self.names, "mention": mine}


def build(cast: Cast) -> World:
    mallory = factories.make_owner("mallory")
    drift = factories.make_agent(cast.ada, "drift")
    stray = factories.make_agent(mallory, "stray")
    lagoon = factories.make_room("Lagoon", admin=mallory)
    factories.make_member(lagoon, stray)
    for agent in (cast.scout, cast.forge, cast.quill, drift, stray):
        Agent.objects.filter(pk=agent.pk).update(scopes=int(ALL))
        agent.refresh_from_db()
    world = World(cast, mallory, drift, stray, lagoon)
    world.names = _furnish(cast.harbour, cast.ada, cast.scout, [cast.scout, cast.quill], cast.forge)
    world.foreign = _furnish(lagoon, mallory, stray, [stray], stray)
    return world


def _furnish(room: Room, owner: Owner, holder: Agent, rung: list[Agent], other: Agent) -> dict[str, Any]:
    """A task in each state, a message, and a mention for each of `rung`."""
    speaker = factories.make_agent(owner, f"speaker of {room.name}")
    factories.make_member(room, speaker)
    names: dict[str, Any] = {"room": room.pk, "plate": other.plate, "agent": other.name, "owner": owner.handle}
    for agent in rung:
        sent = send_message(
            factories.actor_of(speaker), room=room.pk, body="Look at this.", mention_targets=[f"@{_handle(agent)}"]
        )
        names[f"mention of {agent.name}"] = sent.deliveries[0].mention_id
        names["message"] = sent.message_id
    names["mention"] = names[f"mention of {rung[0].name}"]
    make = factories.make_task
    names["pool"] = make(room, "In the pool", creator=holder).pk
    names["mine"] = make(room, "Assigned", creator=holder, assignee=holder).pk
    names["held"] = make(room, "Held", creator=holder, assignee=holder, status="doing", instance_id=INSTANCE).pk
    names["done"] = make(room, "Done", creator=holder, assignee=holder, status="done", instance_id=INSTANCE).pk
    return names


def _handle(agent: Agent) -> str:
    return f"{agent.name}({agent.owner.handle})"


def filled(value: Any, names: dict[str, Any]) -> Any:
    """`value` with every `$name` replaced."""
    if isinstance(value, str) and value.startswith("$"):
        return names[value[1:]]
    if isinstance(value, dict):
        return {key: filled(item, names) for key, item in value.items()}
    if isinstance(value, list):
        return [filled(item, names) for item in value]
    return value


# Every caller that has no business here, and how it knocks. (The token, or None.)


def strangers(world: World, door: str) -> dict[str, str | None]:
    """Tokens that name nobody who may call at this door, by what is wrong with them."""
    agent = world.cast.scout
    resource = v1_resource() if door == "rest" else f"{settings.AGENTROOM_BASE_URL}/mcp"
    held = factories.make_credential(agent)
    revoked = factories.make_credential(agent)
    revoked.credential.revoked_at = db_now()
    revoked.credential.save()
    gone = factories.make_agent(world.cast.ada, "gone", scopes=ALL)
    gones = factories.token_for(gone)
    revoke_agent(factories.human_of(world.cast.ada), plate=gone.plate)
    return {
        "anonymous": None,
        "garbage": "art_0123456789ab_not-a-secret",
        "expired passport": factories.passport_for(
            held.credential, resource=resource, lifetime=timedelta(seconds=-3600)
        ),
        "revoked agent": gones,
        "revoked credential": revoked.token,
        "wrong audience": factories.passport_for(held.credential, resource=f"{settings.AGENTROOM_BASE_URL}/mcp/hermes"),
        "bound to another host": factories.token_for(agent, host="hermes"),
    }


def client(door: str, token: str | None) -> McpClient | RestClient:
    return RestClient(token) if door == "rest" else McpClient(token)


def as_agent(door: str, agent: Agent, *, scopes: Scope | None = None) -> McpClient | RestClient:
    """A client of this agent; with `scopes`, through a passport that carries only those."""
    if scopes is None:
        return client(door, factories.token_for(agent))
    credential = factories.make_credential(agent).credential
    resource = v1_resource() if door == "rest" else f"{settings.AGENTROOM_BASE_URL}/mcp"
    return client(door, factories.passport_for(credential, resource=resource, scopes=scopes))


MALFORMED = "not-an-id"


def random_id() -> str:
    return ulid()
