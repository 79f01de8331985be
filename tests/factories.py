"""Makes the people, agents, rooms and tasks of the tests, as the product would have left them."""

from __future__ import annotations

from dataclasses import dataclass
from datetime import datetime, timedelta
from typing import Any

from django.test import Client

from agentroom.core.clock import db_now
from agentroom.core.limits import LEASE, PASSPORT
from agentroom.core.scopes import DEFAULT, Scope
from identity import passports, tokens
from identity.actors import AgentActor, HumanActor
from identity.authentication import v1_resource
from identity.models import Agent, Credential, Host, Instance, Owner
from identity.names import name_key
from rooms.models import AgentMember, Member, Notebook, Role, Room
from tasks.lifecycle import CLOSED, Status
from tasks.models import Consent, Dependency, Task, TaskHold, TaskRecord

PASSWORD = "a long sentence for tests"


@dataclass(frozen=True)
class Held:
    """A credential and the text that was shown once."""

    credential: Credential
    token: str


def make_owner(name: str = "ada", *, verified: bool = True, **fields: Any) -> Owner:
    """A person with the e-mail `<name>@example.test` and no usable password."""
    email = fields.pop("email", f"{name_key(name)}@example.test")
    return Owner.objects.create_user(email, None, name=name, verified=verified, **fields)


def make_agent(
    owner: Owner, name: str = "scout", *, host: str = Host.GENERIC, scopes: Scope = DEFAULT, **fields: Any
) -> Agent:
    """An agent of `owner`; verified like its owner unless said otherwise."""
    fields.setdefault("verified", owner.verified)
    return Agent.objects.create(
        owner=owner, name=name, name_key=name_key(name), host=host, scopes=int(scopes), **fields
    )


def make_credential(agent: Agent, *, host: str = "", label: str = "") -> Held:
    """A bearer credential with its default instance; `host` binds it to one host's address."""
    new = tokens.make()
    credential = Credential.objects.create(
        agent=agent,
        label=label,
        prefix=new.prefix,
        secret_hash=new.secret_hash,
        host=host,
        created_by_id=agent.owner_id,
    )
    Instance.objects.create(agent=agent, credential=credential, name=credential.pk, is_default=True, host=agent.host)
    return Held(credential, new.text)


def token_for(agent: Agent, *, host: str = "") -> str:
    """The text of a new credential of `agent`."""
    return make_credential(agent, host=host).token


def passport_for(
    credential: Credential,
    *,
    resource: str = "",
    scopes: Scope | None = None,
    instance_id: str | None = None,
    lifetime: timedelta = PASSPORT,
) -> str:
    """A signed passport of the credential's agent, for `/v1` unless `resource` names another address."""
    agent = credential.agent
    return passports.mint(
        passports.Claims(
            plate=agent.plate,
            agent_id=agent.pk,
            owner_id=agent.owner_id,
            scopes=agent.granted if scopes is None else scopes,
            credential_id=credential.pk,
            resource=resource or v1_resource(),
            instance_id=instance_id,
        ),
        lifetime,
    )


def actor_of(agent: Agent, *, instance_id: str = "main", scopes: Scope | None = None) -> AgentActor:
    """The agent as an operation sees it, without a door in between."""
    credential = agent.credentials.first() or make_credential(agent).credential
    return AgentActor(
        agent_id=agent.pk,
        plate=agent.plate,
        name=agent.name,
        owner_id=agent.owner_id,
        owner_handle=agent.owner.handle,
        scopes=agent.granted if scopes is None else scopes,
        credential_id=credential.pk,
        instance_id=instance_id,
        host=agent.host,
        verified=agent.verified,
    )


def human_of(owner: Owner, *, session_key: str = "") -> HumanActor:
    """The person as an operation sees them."""
    return HumanActor(owner_id=owner.pk, name=owner.name, handle=owner.handle, session_key=session_key)


def signed_in(owner: Owner) -> HumanActor:
    """The person with a real session behind them, freshly verified."""
    client = Client()
    client.force_login(owner)
    return human_of(owner, session_key=client.session.session_key)


def make_room(name: str = "Harbour", *, admin: Owner, **fields: Any) -> Room:
    """An active room with its notebook and one admin."""
    now = db_now()
    room = Room.objects.create(name=name, created_by=admin, created_at=now, **fields)
    Notebook.objects.create(room=room, updated_at=now)
    make_member(room, admin, role=Role.ADMIN)
    return room


def make_member(room: Room, who: Owner | Agent, *, role: str = Role.MEMBER, trust: bool = False) -> None:
    """Bring a person or an agent into the room. An agent needs its owner there first."""
    if isinstance(who, Agent):
        AgentMember.objects.create(room=room, agent=who, added_by_id=who.owner_id, joined_at=db_now())
    else:
        Member.objects.create(room=room, owner=who, role=role, trusts_others=trust, joined_at=db_now())


def set_trust(room: Room, owner: Owner, on: bool = True) -> None:
    """Turn `owner`'s Trust toggle in the room."""
    Member.objects.filter(room=room, owner=owner).update(trusts_others=on)


def make_task(
    room: Room,
    title: str = "Paint the hull",
    *,
    creator: Agent | Owner,
    assignee: Agent | None = None,
    status: str = Status.TODO,
    instance_id: str = "main",
    depends_on: list[Task] | None = None,
    **fields: Any,
) -> Task:
    """A task in any status. In doing and blocked the assignee's `instance_id` holds it, at fence 1."""
    now = db_now()
    task = Task.objects.create(
        room=room,
        title=title,
        definition_of_done=fields.pop("definition_of_done", "The hull is blue and dry."),
        status=status,
        assignee=assignee,
        created_at=now,
        updated_at=now,
        ready_since=None if any(one.status != Status.DONE for one in depends_on or []) else now,
        finished_at=now if status in CLOSED else None,
        **_creator(creator),
        **_consent(creator, assignee),
        **_lock(status, instance_id, now),
        **fields,
    )
    for position, prerequisite in enumerate(depends_on or []):
        Dependency.objects.create(task=task, prerequisite=prerequisite, position=position)
    _remember(task, status, instance_id, now)
    return task


def _creator(creator: Agent | Owner) -> dict[str, Any]:
    return {"creator_agent": creator} if isinstance(creator, Agent) else {"creator_owner": creator}


def _consent(creator: Agent | Owner, assignee: Agent | None) -> dict[str, Any]:
    owner_id = creator.owner_id if isinstance(creator, Agent) else creator.pk
    same = assignee is None or assignee.owner_id == owner_id
    return {"consent": Consent.AUTO if same else Consent.ACCEPTED}


def _lock(status: str, instance_id: str, now: datetime) -> dict[str, Any]:
    if status in {Status.TODO, Status.CANCELLED}:
        return {}
    taken = {"fence": 1, "attempt": 1, "progress_at": now}
    if status in CLOSED:
        return taken
    return {**taken, "holder_instance": instance_id, "locked_at": now, "lease_expires_at": now + LEASE}


def _remember(task: Task, status: str, instance_id: str, now: datetime) -> None:
    """The hold and the close-out that a task in this status must have behind it."""
    if not task.fence or task.assignee is None:
        return
    TaskHold.objects.create(task=task, fence=1, agent=task.assignee, instance=instance_id, since=task.locked_at or now)
    if status in {Status.DONE, Status.FAILED, Status.BLOCKED}:
        TaskRecord.objects.create(
            task=task,
            agent=task.assignee,
            instance=instance_id,
            fence=1,
            status=status,
            summary="Painted it.",
            handoff_notes="Two coats; the second dries until noon." if status == Status.DONE else "",
            created_at=now,
        )
