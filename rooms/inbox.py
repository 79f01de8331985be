"""The inbox: steps that ring, acknowledge and count mentions inside the caller's transaction.

Whatever rings has locked the room, so the numbers on the memberships move one at a time.
"""

from __future__ import annotations

from collections.abc import Iterable
from dataclasses import dataclass
from datetime import datetime

from django.db.models import Count, F, Min

from agentroom.core.errors import Forbidden, NotFound
from agentroom.core.limits import EXCERPT_CHARACTERS
from identity.actors import Actor, AgentActor, AnyActor, HumanActor
from identity.models import Agent, Owner
from rooms.models import AgentMember, Member, Mention, MentionKind, Message, Room
from rooms.outputs import Pending
from rooms.wakes.decide import Facts, Outcome, outcome


@dataclass(frozen=True, slots=True)
class Target:
    """One place to ring: an agent's inbox (perhaps for one live session) or a person's."""

    agent: Agent | None = None
    owner: Owner | None = None
    session: str = ""


def ring(
    room: Room,
    now: datetime,
    *,
    author: AnyActor,
    agent: Agent | None = None,
    owner: Owner | None = None,
    kind: MentionKind,
    source: str,
    message: Message | None = None,
    task_id: str = "",
    session: str = "",
    excerpt: str = "",
) -> Mention | None:
    """Put one item in one inbox. None when this `source` rang there before, or the target has left the room."""
    rung = ring_all(
        room,
        now,
        [Target(agent, owner, session)],
        author=author,
        kind=kind,
        source=source,
        message=message,
        task_id=task_id,
        excerpt=excerpt,
    )
    return rung[0] if rung else None


def ring_all(
    room: Room,
    now: datetime,
    targets: Iterable[Target],
    *,
    author: AnyActor,
    kind: MentionKind,
    source: str,
    message: Message | None = None,
    task_id: str = "",
    excerpt: str = "",
) -> list[Mention]:
    """As `ring`, for many targets of one event, in their order and in a constant number of statements."""
    targets = list(targets)
    agents = _agent_members(room, [target.agent for target in targets if target.agent], source)
    people = _people_members(room, [target.owner for target in targets if target.owner], source)
    trusting = _trusting(room, [target.agent for target in targets if target.agent])
    mentions = []
    for target in targets:
        member = agents.get(target.agent.pk) if target.agent else people.get(target.owner.pk if target.owner else "")
        if member is None:
            continue
        member.mention_seq += 1
        mentions.append(
            Mention(
                room=room,
                kind=kind,
                source=source,
                seq=member.mention_seq,
                message=message,
                task_id=task_id,
                agent=target.agent,
                owner=target.owner,
                session=target.session,
                **_author(author),
                trust_level=_trust_level(author, target, member, trusting),
                outcome=_outcome(room, author, target, trusting),
                excerpt=excerpt[:EXCERPT_CHARACTERS],
                created_at=now,
            )
        )
    _store(mentions)
    return mentions


def ack(actor: Actor, mention_ids: Iterable[str], now: datetime) -> list[str]:
    """Mark the caller's mentions handled; a repeat changes nothing. Returns the ids, in the order given.

    Raises `NotFound` for an id that is no mention, and `Forbidden` for one in another inbox.
    """
    wanted = list(dict.fromkeys(mention_ids))
    if not wanted:
        return []
    rows = Mention.objects.select_for_update().filter(pk__in=wanted).order_by("pk")
    found = {mention.pk: mention for mention in rows}
    if len(found) < len(wanted):
        raise NotFound("One of these mention ids does not exist. `check_mentions` lists the open ones.")
    if any(not _is_for(actor, mention) for mention in found.values()):
        raise Forbidden("One of these mentions is in another inbox. Acknowledge only your own.")
    instance = actor.instance_id if isinstance(actor, AgentActor) else ""
    Mention.objects.filter(pk__in=wanted, acked_at=None).update(acked_at=now, acked_by_instance=instance)
    return wanted


def pending(actor: Actor) -> Pending:
    """How much waits in the caller's inbox over all rooms, and since when."""
    mine = {"agent_id": actor.agent_id} if isinstance(actor, AgentActor) else {"owner_id": actor.owner_id}
    row = Mention.objects.filter(acked_at=None, cancelled_at=None, **mine).aggregate(
        mentions=Count("pk"), oldest=Min("created_at")
    )
    return Pending(**row)


def _agent_members(room: Room, agents: list[Agent], source: str) -> dict[str, AgentMember]:
    if not agents:
        return {}
    members = AgentMember.objects.filter(room=room, agent__in=agents, left_at=None)
    rung = Mention.objects.filter(source=source, agent__in=agents).values("agent_id")
    return {member.agent_id: member for member in members.exclude(agent_id__in=rung)}


def _people_members(room: Room, people: list[Owner], source: str) -> dict[str, Member]:
    if not people:
        return {}
    members = Member.objects.filter(room=room, owner__in=people, left_at=None)
    rung = Mention.objects.filter(source=source, owner__in=people).values("owner_id")
    return {member.owner_id: member for member in members.exclude(owner_id__in=rung)}


def _trusting(room: Room, agents: list[Agent]) -> set[str]:
    """The owners of these agents who have Trust on here."""
    if not agents:
        return set()
    owners = {agent.owner_id for agent in agents}
    return set(
        Member.objects.filter(room=room, owner_id__in=owners, left_at=None, trusts_others=True).values_list(
            "owner_id", flat=True
        )
    )


def _author(author: AnyActor) -> dict[str, str | None]:
    return {
        "author_kind": author.kind,
        "author_agent_id": author.agent_id if isinstance(author, AgentActor) else None,
        "author_owner_id": author.owner_id if isinstance(author, AgentActor | HumanActor) else None,
    }


def _trust_level(author: AnyActor, target: Target, member: AgentMember | Member, trusting: set[str]) -> str:
    """How the recipient may take it, always from the recipient's side (agent-room.md 1.9)."""
    recipient = target.agent.owner_id if target.agent else (target.owner.pk if target.owner else "")
    if isinstance(author, HumanActor):
        return "human_owner" if author.owner_id == recipient else "human_member"
    if isinstance(author, AgentActor):
        if author.owner_id == recipient:
            return "same_owner"
        trusts = recipient in trusting if target.agent else getattr(member, "trusts_others", False)
        return "trusted" if trusts else "untrusted"
    return "same_owner"


def _outcome(room: Room, author: AnyActor, target: Target, trusting: set[str]) -> Outcome:
    if target.agent is None:
        return Outcome.DELIVERED
    author_owner = author.owner_id if isinstance(author, AgentActor | HumanActor) else target.agent.owner_id
    return outcome(
        Facts(
            allowed=author_owner == target.agent.owner_id or target.agent.owner_id in trusting,
            scopes=target.agent.granted,
            host=target.agent.host,
            room_is_active=room.is_active,
        )
    )


def _store(mentions: list[Mention]) -> None:
    if not mentions:
        return
    Mention.objects.bulk_create(mentions)
    room_id = mentions[0].room_id
    next_seq = F("mention_seq") + 1
    agents = [mention.agent_id for mention in mentions if mention.agent_id]
    people = [mention.owner_id for mention in mentions if mention.owner_id]
    if agents:
        AgentMember.objects.filter(room_id=room_id, agent_id__in=agents).update(mention_seq=next_seq)
    if people:
        Member.objects.filter(room_id=room_id, owner_id__in=people).update(mention_seq=next_seq)


def _is_for(actor: Actor, mention: Mention) -> bool:
    if isinstance(actor, AgentActor):
        return mention.agent_id == actor.agent_id
    return mention.owner_id == actor.owner_id
