"""Ringing, worked out and not yet stored: which inbox gets which item, under which number."""

from __future__ import annotations

from collections.abc import Sequence
from dataclasses import dataclass
from datetime import datetime
from typing import Any

from django.db.models import Exists, OuterRef, QuerySet

from agentroom.core.limits import EXCERPT_CHARACTERS
from identity.actors import AgentActor, AnyActor, HumanActor
from identity.models import Agent, Owner
from rooms.models import AgentMember, Member, Mention, Room
from rooms.wakes.decide import Facts, Outcome, outcome


@dataclass(frozen=True, slots=True)
class Place:
    """A target's membership: its key, the last number of its inbox here, its owner's Trust."""

    member_id: int
    mention_seq: int
    trusts_others: bool


@dataclass(frozen=True, slots=True, kw_only=True)
class Target:
    """One inbox: an agent's (perhaps for one live session of it) or a person's. `place` where it was read already."""

    agent: Agent | None = None
    owner: Owner | None = None
    session: str = ""
    place: Place | None = None

    @property
    def key(self) -> str:
        """The id of whoever is rung."""
        return self.agent.pk if self.agent else self.owner.pk if self.owner else ""

    @property
    def owner_id(self) -> str:
        """The person who answers for whoever is rung."""
        return self.agent.owner_id if self.agent else self.key


@dataclass(frozen=True, slots=True)
class Rung:
    """What an event puts into inboxes: unsaved mentions, and the memberships whose `mention_seq` moved."""

    mentions: list[Mention]
    members: list[AgentMember | Member]


def bells(
    room: Room,
    now: datetime,
    targets: Sequence[Target],
    *,
    author: AnyActor,
    source: str,
    excerpt: str = "",
    **fields: Any,
) -> Rung:
    """One mention per target, in their order; none where this `source` rang before or the target has left."""
    unread = [target for target in targets if target.place is None]
    places = {target.key: target.place for target in targets if target.place} | _places(room, unread, source)
    told = [(target, places[target.key]) for target in targets if target.key in places]
    return Rung(
        [
            Mention(
                room=room,
                seq=place.mention_seq + 1,
                source=source,
                agent=target.agent,
                owner=target.owner,
                session=target.session,
                trust_level=_trust_level(author, target, place),
                outcome=_outcome(room, author, target, place),
                excerpt=shortened(excerpt),
                created_at=now,
                **_author(author),
                **fields,
            )
            for target, place in told
        ],
        [_counted(target, place) for target, place in told],
    )


def trust_of(room_id: Any) -> Exists:
    """Whether the owner of an agent membership has Trust on in the room: for annotating `AgentMember`."""
    trusting = Member.objects.filter(room_id=room_id, left_at=None, trusts_others=True)
    return Exists(trusting.filter(owner_id=OuterRef("agent__owner_id")))


def shortened(text: str) -> str:
    """The beginning of `text` that an inbox shows."""
    return text if len(text) <= EXCERPT_CHARACTERS else text[: EXCERPT_CHARACTERS - 1] + "…"


def _places(room: Room, targets: Sequence[Target], source: str) -> dict[str, Place]:
    agents = [target.agent for target in targets if target.agent]
    people = [target.owner for target in targets if target.owner]
    places: dict[str, Place] = {}
    if agents:
        rung = Mention.objects.filter(source=source, agent_id=OuterRef("agent_id"))
        members = AgentMember.objects.filter(~Exists(rung), room=room, agent__in=agents, left_at=None)
        places |= _read(members.annotate(trusts=trust_of(room.pk)), "agent_id", "trusts")
    if people:
        rung = Mention.objects.filter(source=source, owner_id=OuterRef("owner_id"))
        persons = Member.objects.filter(~Exists(rung), room=room, owner__in=people, left_at=None)
        places |= _read(persons, "owner_id", "trusts_others")
    return places


def _read(members: QuerySet[Any], key: str, trust: str) -> dict[str, Place]:
    return {row[0]: Place(*row[1:]) for row in members.values_list(key, "pk", "mention_seq", trust)}


def _counted(target: Target, place: Place) -> AgentMember | Member:
    kind = AgentMember if target.agent else Member
    return kind(pk=place.member_id, mention_seq=place.mention_seq + 1)


def _author(author: AnyActor) -> dict[str, str | None]:
    return {
        "author_kind": author.kind,
        "author_agent_id": author.agent_id if isinstance(author, AgentActor) else None,
        "author_owner_id": author.owner_id if isinstance(author, AgentActor | HumanActor) else None,
    }


def _trust_level(author: AnyActor, target: Target, place: Place) -> str:
    """How the recipient may take it, always from the recipient's side (agent-room.md 1.9)."""
    if isinstance(author, HumanActor):
        return "human_owner" if author.owner_id == target.owner_id else "human_member"
    if isinstance(author, AgentActor) and author.owner_id != target.owner_id:
        return "trusted" if place.trusts_others else "untrusted"
    return "same_owner"


def _outcome(room: Room, author: AnyActor, target: Target, place: Place) -> Outcome:
    if target.agent is None:
        return Outcome.DELIVERED
    is_foreign = isinstance(author, AgentActor | HumanActor) and author.owner_id != target.owner_id
    return outcome(
        Facts(
            allowed=place.trusts_others or not is_foreign,
            scopes=target.agent.granted,
            host=target.agent.host,
            room_is_active=room.is_active,
        )
    )
