"""From the structured targets of a message to the inboxes it rings; nothing else ever delivers (I-13)."""

from __future__ import annotations

from collections.abc import Sequence

from django.db.models import Q, QuerySet

from agentroom.core.errors import NotFound, Validation
from agentroom.core.prepared import Ask, Prepared
from identity.actors import Actor, AgentActor
from identity.models import Instance, Owner
from identity.names import name_key
from rooms.bells import Place, Target, trust_of
from rooms.handles import agents_for, alias_of, alias_of_person, parse, people_for
from rooms.inputs import MentionTarget
from rooms.models import AgentMember, Room
from rooms.roster import people_in


def asking_named(room_id: str, wanted: Sequence[str | MentionTarget]) -> tuple[Ask, ...]:
    """What can be read for `addressees` along with the room: the one agent that most messages name."""
    plates = _plates(wanted)
    return (_ONE_AGENT.asking(room_id=room_id, plate=plates.pop()),) if len(plates) == 1 else ()


def addressees(
    room: Room, actor: Actor, wanted: Sequence[str | MentionTarget], read: Sequence[list[AgentMember]] = ()
) -> list[Target]:
    """The targets in the order given, each inbox once. `read` is the answer to what `asking_named` asked.

    Raises `Validation` for oneself and for a handle that fits several, `NotFound` for whoever is not in the room.
    """
    agents = _agents(room, _plates(wanted), read)
    people = _people(room, {target.human for target in wanted if isinstance(target, MentionTarget) and target.human})
    targets: dict[str, Target] = {}
    for target in wanted:
        found = _handled(room, target) if isinstance(target, str) else _named(target, agents, people)
        if _is_self(actor, found):
            raise Validation(
                "You cannot mention yourself. Leave yourself out of mention_targets; nothing was sent.",
                fields={"mention_targets": "must not name the caller"},
            )
        targets.setdefault(found.key, found)
    _require_sessions(list(targets.values()))
    return list(targets.values())


def _plates(wanted: Sequence[str | MentionTarget]) -> set[str]:
    return {target.plate for target in wanted if isinstance(target, MentionTarget) and target.plate}


def _agents(room: Room, plates: set[str], read: Sequence[list[AgentMember]]) -> dict[str, AgentMember]:
    """The memberships of these plates, with all that ringing them needs."""
    if read:
        found = [member for members in read for member in members]
    else:
        found = list(_agent_members(room.pk).filter(agent__plate__in=plates)) if plates else []
    return {member.agent.plate: member for member in found}


def _agent_members(room_id: str) -> QuerySet[AgentMember]:
    present = AgentMember.objects.filter(room_id=room_id, left_at=None, agent__revoked_at=None)
    return present.annotate(trusts=trust_of(room_id)).select_related("agent")


_ONE_AGENT = Prepared(lambda room_id, plate: _agent_members(room_id).filter(agent__plate=plate))


def _people(room: Room, names: set[str]) -> dict[str, Owner]:
    """People by id and by folded handle: a target may give either."""
    if not names:
        return {}
    keys = {name_key(name.removeprefix("@")) for name in names}
    found = people_in(room).filter(Q(pk__in=names) | Q(handle_key__in=keys))
    return {key: owner for owner in found for key in (owner.pk, owner.handle_key)}


def _named(target: MentionTarget, agents: dict[str, AgentMember], people: dict[str, Owner]) -> Target:
    if target.plate:
        member = agents.get(target.plate)
        if member is None:
            return _absent()
        place = Place(member.pk, member.mention_seq, member.trusts)  # type: ignore[attr-defined]
        return Target(agent=member.agent, session=target.session or "", place=place)
    name = target.human or ""
    owner = people.get(name) or people.get(name_key(name.removeprefix("@")))
    return Target(owner=owner) if owner else _absent()


def _handled(room: Room, text: str) -> Target:
    """The one inbox a handle fits. Several are never guessed between: the caller gets the candidates."""
    handle = parse(text)
    agents, people = agents_for(room, handle), people_for(room, handle)
    if len(agents) + len(people) > 1:
        candidates = [{"alias": alias_of(agent), "plate": agent.plate} for agent in agents]
        candidates += [{"alias": alias_of_person(owner), "human": owner.pk} for owner in people]
        raise Validation(
            "A handle in mention_targets fits several here. Choose one of the candidates; nothing was sent.",
            fields={"mention_targets": "ambiguous: " + ", ".join(one["alias"] for one in candidates)[:300]},
            candidates=candidates,
        )
    if agents:
        return Target(agent=agents[0], session=handle.session)
    return Target(owner=people[0]) if people else _absent()


def _require_sessions(targets: list[Target]) -> None:
    """A session must be one of its agent's instances, live or not: a mistyped one must not wait for ever."""
    asked = {(target.agent.pk, target.session) for target in targets if target.agent and target.session}
    if not asked:
        return
    known = Instance.objects.filter(agent_id__in={agent_id for agent_id, _ in asked}).values_list("agent_id", "name")
    if asked - set(known):
        raise NotFound(
            "No such session of this agent; nothing was sent. `list_instances` shows the live ones. "
            "Leave the session out to reach the agent."
        )


def _absent() -> Target:
    raise NotFound("A mention target is not in this room; nothing was sent. `list_members` shows who is.")


def _is_self(actor: Actor, target: Target) -> bool:
    if isinstance(actor, AgentActor):
        return target.agent is not None and target.agent.pk == actor.agent_id
    return target.owner is not None and target.owner.pk == actor.owner_id
