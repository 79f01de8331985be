"""Who is in the demo. What exists is used again; tokens and sign-in links are new at every call."""

from __future__ import annotations

from dataclasses import dataclass
from typing import Any

from django.conf import settings

from agentroom.board.demo.story import tell
from identity.actors import AgentActor, HumanActor, SystemActor
from identity.authentication import authenticate
from identity.models import Agent, Host, Owner
from identity.operations.accounts import open_account
from identity.operations.agents import make_agent
from identity.operations.credentials import mint_credential
from identity.operations.signin import make_sign_in_link
from identity.outputs import NewCredential
from rooms.models import Room

SERVER = SystemActor()
ROOM = "Harbour"
OWNERS = {"ada@demo.agentroom.example": "Ada", "grace@demo.agentroom.example": "Grace"}
AGENTS = (("Ada", "scout", Host.CLAUDE), ("Ada", "forge", Host.CODEX), ("Grace", "quill", Host.CLAUDE))


@dataclass(frozen=True, slots=True)
class Demo:
    """Everything a script needs to come in, as `manage.py demo --json` prints it."""

    base_url: str
    rooms: list[dict[str, Any]]
    owners: list[dict[str, Any]]
    agents: list[dict[str, Any]]


def meet() -> Demo:
    """Make whoever and whatever is missing, and hand out fresh keys to it all."""
    owners = {name: _owner(email, name) for email, name in OWNERS.items()}
    agents = {name: _agent(owners[owner], name, host) for owner, name, host in AGENTS}
    keys = {name: _key(agent) for name, agent in agents.items()}
    people = {name: _person(owner) for name, owner in owners.items()}
    room = Room.objects.filter(name=ROOM, created_by=owners["Ada"]).order_by("pk").first()
    if room is None:
        room = Room.objects.get(pk=tell(ROOM, people, {name: _actor(keys[name]) for name in agents}))
    return Demo(
        base_url=settings.AGENTROOM_BASE_URL,
        rooms=[{"id": room.pk, "name": room.name}],
        owners=[_shown_owner(owner) for owner in owners.values()],
        agents=[_shown_agent(agent, keys[name]) for name, agent in agents.items()],
    )


def _owner(email: str, name: str) -> Owner:
    found = Owner.objects.filter(email=email).first()
    if found is None:
        open_account(SERVER, email=email, name=name, vouched=True)
    return found or Owner.objects.get(email=email)


def _agent(owner: Owner, name: str, host: str) -> Agent:
    agents = Agent.objects.filter(owner=owner, name=name, revoked_at=None)
    if not agents.exists():
        make_agent(_person(owner), name=name, host=host)
    return agents.get()


def _person(owner: Owner) -> HumanActor:
    return HumanActor(owner_id=owner.pk, name=owner.name, handle=owner.handle)


def _key(agent: Agent) -> NewCredential:
    return mint_credential(SERVER, plate=agent.plate, label="demo", host=agent.host)


def _actor(key: NewCredential) -> AgentActor:
    return authenticate(key.token, resource=key.resource)


def _shown_owner(owner: Owner) -> dict[str, Any]:
    link = make_sign_in_link(SERVER, owner_id=owner.pk, lifetime=None)
    url = f"{settings.AGENTROOM_BASE_URL}/sign-in/{link.token}"
    return {"email": owner.email, "name": owner.name, "sign_in_url": url}


def _shown_agent(agent: Agent, key: NewCredential) -> dict[str, Any]:
    return {
        "plate": agent.plate,
        "name": agent.name,
        "owner": agent.owner.name,
        "host": agent.host,
        "token": key.token,
        "scopes": agent.granted.names,
    }
