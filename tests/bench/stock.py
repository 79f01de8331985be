"""Fills a product database with what one bench run uses up, through the operations, and prints it as JSON.

`python -m tests.bench.stock` with the product's environment.
"""

from __future__ import annotations

import json
import os
from typing import Any

import django

os.environ.setdefault("DJANGO_SETTINGS_MODULE", "agentroom.settings")
django.setup()

from django.test import Client  # noqa: E402

from agentroom.core.scopes import ALL  # noqa: E402
from identity import passports  # noqa: E402
from identity.actors import AgentActor, HumanActor  # noqa: E402
from identity.authentication import v1_resource  # noqa: E402
from identity.models import Agent, Owner  # noqa: E402
from rooms.models import Member  # noqa: E402
from tasks.operations.claim import claim_task  # noqa: E402
from tasks.operations.create import create_task  # noqa: E402
from tests import factories  # noqa: E402

OWNERS, AGENTS, ROOMS = 4, 16, 16
SESSIONS = 20
# Rooms take turns, as they do in life: one room alone is row 5.
CLAIMS_PER_ROOM = int(os.environ.get("BENCH_CLAIMS_PER_ROOM", "300"))
COMPLETIONS_PER_ROOM = int(os.environ.get("BENCH_COMPLETIONS_PER_ROOM", "60"))
BOARD_TASKS = 200


def main() -> None:
    owners = [factories.make_owner(f"Owner {number}") for number in range(OWNERS)]
    agents = [factories.make_agent(owners[number % OWNERS], f"Agent {number}") for number in range(AGENTS)]
    actors = [_calling(agent) for agent in agents]
    rooms = [_room(f"Room {number}", owners, agents) for number in range(ROOMS)]
    print(
        json.dumps(
            {
                "sessions": [_session(owners[number % OWNERS]) for number in range(SESSIONS)],
                "rooms": rooms,
                "claims": [_pool_task(actors[0], room) for _ in range(CLAIMS_PER_ROOM) for room in rooms],
                "held": [_held_task(actors[0], room) for room in rooms],
                "completions": [
                    _ready_to_complete(actors[number % AGENTS], number % AGENTS, rooms[number % ROOMS])
                    for number in range(ROOMS * COMPLETIONS_PER_ROOM)
                ],
                "board": _board(owners, agents, actors),
                # Last: a passport lives for fifteen minutes.
                "agents": [_tokens(actor) for actor in actors],
            }
        )
    )


def _session(owner: Owner) -> str:
    """The cookie of a signed-in browser."""
    client = Client()
    client.force_login(owner)
    return "; ".join(f"{name}={morsel.value}" for name, morsel in client.cookies.items())


def _calling(agent: Agent) -> AgentActor:
    """The agent as the doors will see it: what it takes here it must be able to finish there."""
    held = factories.make_credential(agent)
    return factories.actor_of(agent, instance_id=held.credential.pk)


def _tokens(actor: AgentActor) -> dict[str, str]:
    """Passports, as a client would hold them: one for `/mcp`, one for `/v1`."""
    base = os.environ["AGENTROOM_BASE_URL"]
    made = {
        name: passports.mint(
            passports.Claims(
                plate=actor.plate,
                agent_id=actor.agent_id,
                owner_id=actor.owner_id,
                scopes=ALL,
                credential_id=actor.credential_id,
                resource=resource,
            )
        )
        for name, resource in (("mcp", f"{base}/mcp"), ("v1", v1_resource()))
    }
    return {"plate": actor.plate, **made}


def _room(name: str, owners: list[Owner], agents: list[Agent]) -> str:
    room = factories.make_room(name, admin=owners[0])
    for owner in owners[1:]:
        factories.make_member(room, owner)
    for agent in agents:
        factories.make_member(room, agent)
    Member.objects.filter(room=room).update(trusts_others=True)
    return str(room.pk)


def _create(actor: AgentActor | HumanActor, room: str, **fields: Any) -> str:
    answer = create_task(actor, room=room, title="A task to measure", definition_of_done="It is measured.", **fields)
    return str(answer.task_id)


def _pool_task(actor: AgentActor, room: str) -> str:
    return _create(actor, room)


def _held_task(actor: AgentActor, room: str) -> str:
    task = _create(actor, room)
    claim_task(actor, task_id=task)
    return task


def _ready_to_complete(actor: AgentActor, number: int, room: str) -> dict[str, Any]:
    task = _create(actor, room, assignee=actor.plate)
    for _ in range(2):
        _create(actor, room, assignee=actor.plate, depends_on=[task])
    claim_task(actor, task_id=task)
    return {"agent": number, "task": task}


def _board(owners: list[Owner], agents: list[Agent], actors: list[AgentActor]) -> str:
    room = _room("Board", owners, agents)
    for number in range(BOARD_TASKS):
        _create(actors[0], room, assignee=agents[number % AGENTS].plate)
    return room


if __name__ == "__main__":
    main()
