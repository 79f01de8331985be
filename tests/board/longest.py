"""A person whose everything is as long as it may be, without a blank to break at: pages must hold it on any screen."""

from __future__ import annotations

from typing import Any

from django.conf import settings

from agentroom.core.clock import db_now
from agentroom.core.limits import LEASE
from identity.actors import SystemActor
from identity.models import Agent, Instance, Owner
from identity.names import name_key
from identity.operations.signin import make_sign_in_link
from rooms.models import Room, TrustRequest
from rooms.operations.invites import invite
from tasks.models import Task
from tasks.operations.assign import assign_task
from tests import factories
from tests.board.hostile import furnish

LETTER = "W"
TEXTS = [
    LETTER * 2000,
    f"```\n{LETTER * 400}\n```",
    f"`{LETTER * 300}` and [{LETTER * 200}](https://{'w' * 60}.example/{LETTER * 300})",
    f"# {LETTER * 300}\n\n- {LETTER * 200}\n\n> {LETTER * 200}",
    "|" + "|".join(["Width"] * 30) + "|\n|" + "|".join(["---"] * 30) + "|\n|" + "|".join([LETTER * 20] * 30) + "|",
    "\u0645" * 300,
    f"file:{'w' * 190}",
    "\u6f22" * 200,
]


def furnish_longest() -> dict[str, Any]:
    """The room, the person in it and all that is theirs; how a browser gets to each of it."""
    person, other = _person("W", 0), _person("M", 1)
    agent, theirs = (factories.make_agent(owner, "x") for owner in (person, other))
    room, elsewhere = factories.make_room(admin=person), factories.make_room(admin=other)
    for who in (agent, other, theirs):
        factories.make_member(room, who)
    furnish(room, person, agent, TEXTS)
    Room.objects.filter(pk__in=[room.pk, elsewhere.pk]).update(name=LETTER * 64)
    longest = {"name": LETTER * 64, "name_key": name_key(LETTER * 64)}
    Agent.objects.filter(pk__in=[agent.pk, theirs.pk]).update(**longest, host="openclaw", scopes=31)
    # After `furnish`, which writes a text of its own there.
    Owner.objects.filter(pk=person.pk).update(name=LETTER * 64)
    Instance.objects.create(agent=agent, name="w" * 64, workspace="/" + "w" * 199, last_seen_at=db_now())
    TrustRequest.objects.create(room=room, owner=person, agent=agent, asked_at=db_now())
    task = _moved(room, person, agent, theirs)
    link = make_sign_in_link(SystemActor(), owner_id=person.pk).token
    named = invite(factories.human_of(other), room=elsewhere.pk, kind="human_link")
    invite(factories.human_of(other), room=elsewhere.pk, kind="human_email", target=person.email)
    return {
        "room": room.pk,
        "task": task.pk,
        "plate": agent.plate,
        "invite": named.token,
        "sign_in_url": f"{settings.AGENTROOM_BASE_URL}/sign-in/{link}",
        "unused_link": make_sign_in_link(SystemActor(), owner_id=person.pk).token,
    }


def _person(letter: str, number: int) -> Owner:
    handle = letter * 63 + str(number)
    email = f"{letter.lower() * 60}{number}@{'w' * 60}.{'w' * 60}.example"
    return Owner.objects.create_user(email, None, name=letter * 64, handle=handle, verified=True)


def _moved(room: Room, person: Owner, agent: Agent, theirs: Agent) -> Task:
    """A stale task with a long history, a holder, prerequisites and dependents."""
    factories.set_trust(room, theirs.owner)
    before = list(Task.objects.filter(room=room, status="blocked"))
    task = factories.make_task(room, LETTER * 200, creator=person, assignee=agent, depends_on=before, detail=TEXTS[2])
    actor = factories.human_of(person)
    for plate in (theirs.plate, agent.plate):
        assign_task(actor, task_id=task.pk, assignee=plate)
    held = factories.make_task(
        room, LETTER * 200, creator=person, assignee=agent, status="doing", instance_id="w" * 64, detail=TEXTS[3]
    )
    Task.objects.filter(pk=held.pk).update(lease_expires_at=db_now() - LEASE)
    factories.make_task(room, LETTER * 200, creator=person, depends_on=[held, task])
    return held
