"""Who is in a room, who is live, and whom a handle means."""

from __future__ import annotations

from datetime import datetime

from agentroom.core.clock import db_now
from agentroom.core.limits import INSTANCE_LIVE, PAGE_MAX, RESULT_BYTES
from agentroom.core.pages import fitted
from agentroom.core.scopes import Scope
from identity.actors import Actor
from identity.models import Agent, Instance, Owner
from rooms.access import room_for
from rooms.handles import agents_for, alias_of, alias_of_person, parse, people_for
from rooms.models import Member, Room
from rooms.outputs import AgentInstances, AgentItem, Candidate, Candidates, Human, InstanceItem, Instances, Members
from rooms.roster import agent_in, agents_in, live_instances
from rooms.wakes.decide import Facts, Outcome, outcome
from rooms.work import held_in


def list_members(actor: Actor, *, room: str, after: str | None = None) -> Members:
    """People (on the first page) and agents of the room, agents in pages by the id in `next`."""
    return members_of(room_for(actor, room), after=after)


def members_of(room: Room, *, after: str | None = None, budget: int = RESULT_BYTES - 1024) -> Members:
    """As `list_members`, in at most `budget` bytes."""
    people = Member.objects.filter(room=room, left_at=None, owner__is_active=True).select_related("owner")
    by_owner = {member.owner_id: member for member in people.order_by("joined_at", "pk")}
    humans = [] if after else fitted([human_of(member) for member in by_owner.values()], budget=budget // 2)
    agents = agents_in(room)
    found = list((agents.filter(pk__gt=after) if after else agents)[: PAGE_MAX + 1])
    live = live_instances([agent.pk for agent in found], db_now())
    trusting = {owner_id for owner_id, member in by_owner.items() if member.trusts_others}
    items = [_agent(agent, agent.pk in live, agent.owner_id in trusting) for agent in found[:PAGE_MAX]]
    shown = fitted(items, budget=budget // 2)
    more = len(shown) < len(found)
    cut = more or (not after and len(humans) < len(by_owner))
    return Members(humans=humans, agents=shown, truncated=cut or None, next=found[len(shown) - 1].pk if more else None)


def resolve_handle(actor: Actor, *, room: str, handle: str) -> Candidates:
    """Every agent and person of the room that the handle fits, agents with their live instances."""
    place = room_for(actor, room)
    parsed = parse(handle)
    now = db_now()
    agents = agents_for(place, parsed)
    instances = _instances_of(agents, parsed.session, now)
    candidates = [
        Candidate(
            alias=alias_of(agent),
            plate=agent.plate,
            instances=[_instance(one, now, is_own=_is_own(actor, agent)) for one in instances.get(agent.pk, [])],
        )
        for agent in agents
    ]
    people = [_person(owner) for owner in people_for(place, parsed)]
    return Candidates(candidates=candidates + people)


def list_instances(actor: Actor, *, room: str, plate: str | None = None) -> Instances:
    """The live instances of the room's agents, and the task each works on here."""
    place = room_for(actor, room)
    agents = [agent_in(place, plate)] if plate else list(agents_in(place)[:PAGE_MAX])
    now = db_now()
    live = live_instances([agent.pk for agent in agents], now)
    held = held_in(place.pk) if live else {}
    found = [
        AgentInstances(
            plate=agent.plate,
            alias=alias_of(agent),
            instances=[
                _instance(one, now, held.get((agent.pk, one.name)), is_own=_is_own(actor, agent))
                for one in live[agent.pk]
            ],
        )
        for agent in agents
        if agent.pk in live
    ]
    shown = fitted(found)
    return Instances(agents=shown, truncated=True if len(shown) < len(found) else None)


def human_of(member: Member) -> Human:
    owner = member.owner
    return Human(id=owner.pk, name=owner.name, alias=alias_of_person(owner), role=member.role)


def _agent(agent: Agent, is_live: bool, is_trusting: bool) -> AgentItem:
    decided = outcome(Facts(allowed=True, scopes=agent.granted, host=agent.host, is_live=is_live))
    return AgentItem(
        plate=agent.plate,
        name=agent.name,
        owner=agent.owner.handle,
        alias=alias_of(agent),
        verified=agent.verified,
        scopes=Scope(agent.scopes).names,
        host=agent.host,
        live=is_live,
        wakeable=decided in {Outcome.QUEUED, Outcome.QUEUED_OFFLINE},
        trust=is_trusting or None,
    )


def _person(owner: Owner) -> Candidate:
    return Candidate(alias=alias_of_person(owner), human=owner.pk)


def _instances_of(agents: list[Agent], session: str, now: datetime) -> dict[str, list[Instance]]:
    """Live ones; with a session that very one, live or not."""
    ids = [agent.pk for agent in agents]
    if not session:
        return live_instances(ids, now)
    return {one.agent_id: [one] for one in Instance.objects.filter(agent_id__in=ids, name=session)}


def _is_own(actor: Actor, agent: Agent) -> bool:
    return agent.owner_id == actor.owner_id


def _instance(instance: Instance, now: datetime, task_id: str | None = None, *, is_own: bool) -> InstanceItem:
    """An instance; the folder it works in is shown to its own owner only."""
    seen = instance.last_seen_at
    return InstanceItem(
        instance_id=instance.name,
        live=seen is not None and seen > now - INSTANCE_LIVE,
        host=instance.host,
        workspace=instance.workspace or None if is_own else None,
        last_seen_at=seen,
        task_id=task_id,
    )
