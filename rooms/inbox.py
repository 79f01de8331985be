"""The inbox: steps that ring, acknowledge and count mentions inside the caller's transaction.

Whatever rings has locked the room, so the numbers on the memberships move one at a time.
"""

from __future__ import annotations

from collections.abc import Iterable, Sequence
from dataclasses import dataclass
from datetime import datetime
from typing import Any

from django.db.models import Count, Exists, F, IntegerField, Min, OuterRef, Subquery

from agentroom.core.errors import Forbidden, NotFound
from agentroom.core.limits import EXCERPT_CHARACTERS
from identity.actors import Actor, AgentActor, AnyActor, HumanActor
from identity.models import Agent, Owner
from rooms.access import rooms_of
from rooms.models import AgentMember, Member, Mention, MentionKind, Message, Room
from rooms.outputs import Pending
from rooms.wakes.decide import Facts, Outcome, outcome

COUNTED_MOST = 1000


@dataclass(frozen=True, slots=True, kw_only=True)
class Target:
    """One inbox: an agent's (perhaps for one live session of it) or a person's."""

    agent: Agent | None = None
    owner: Owner | None = None
    session: str = ""

    @property
    def key(self) -> str:
        """The id of whoever is rung."""
        return self.agent.pk if self.agent else self.owner.pk if self.owner else ""

    @property
    def owner_id(self) -> str:
        """The person who answers for whoever is rung."""
        return self.agent.owner_id if self.agent else self.key


@dataclass(frozen=True, slots=True)
class _Place:
    """A target's membership as far as ringing needs it."""

    mention_seq: int
    trusts_others: bool


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
    target = Target(agent=agent, owner=owner, session=session)
    fields: dict[str, Any] = {
        "kind": kind,
        "source": source,
        "message": message,
        "task_id": task_id,
        "excerpt": excerpt,
    }
    rung = ring_all(room, now, [target], author=author, **fields)
    return rung[0] if rung else None


def ring_all(
    room: Room, now: datetime, targets: Sequence[Target], *, author: AnyActor, excerpt: str = "", **fields: Any
) -> list[Mention]:
    """As `ring`, for many targets of one event, in their order and in a constant number of statements."""
    places = _places(room, targets, fields["source"])
    mentions = [
        Mention(
            room=room,
            seq=places[target.key].mention_seq + 1,
            agent=target.agent,
            owner=target.owner,
            session=target.session,
            trust_level=_trust_level(author, target, places[target.key]),
            outcome=_outcome(room, author, target, places[target.key]),
            excerpt=shortened(excerpt),
            created_at=now,
            **_author(author),
            **fields,
        )
        for target in targets
        if target.key in places
    ]
    _store(room, mentions)
    return mentions


def ack(actor: Actor, mention_ids: Iterable[str], now: datetime) -> list[str]:
    """Mark the caller's mentions handled; a repeat changes nothing. Returns the ids, in the order given.

    Raises `NotFound` for an id that is no mention or is in a room the caller is not in, and `Forbidden` for one in
    another inbox of a shared room.
    """
    wanted = list(dict.fromkeys(mention_ids))
    if not wanted:
        return []
    rows = Mention.objects.select_for_update().filter(pk__in=wanted).order_by("pk")
    found = list(rows)
    foreign = {mention.room_id for mention in found if not _is_for(actor, mention)}
    if len(found) < len(wanted) or rooms_of(actor).filter(pk__in=foreign).count() < len(foreign):
        raise NotFound("One of these mention ids does not exist. `check_mentions` lists the open ones.")
    if foreign:
        raise Forbidden("One of these mentions is in another inbox. Acknowledge only your own.")
    instance = actor.instance_id if isinstance(actor, AgentActor) else ""
    Mention.objects.filter(pk__in=wanted, acked_at=None).update(acked_at=now, acked_by_instance=instance)
    return wanted


def cancel(now: datetime, **which: Any) -> int:
    """Take open mentions out of the inboxes: their message was retracted, or their target left."""
    return Mention.objects.filter(acked_at=None, cancelled_at=None, **which).update(cancelled_at=now)


def pending(actor: Actor) -> Pending:
    """How much waits in the caller's inbox over all rooms, and since when."""
    row = open_of(actor).aggregate(mentions=Count("pk"), oldest=Min("created_at"))
    return Pending(**row)


def open_of(actor: Actor) -> Any:
    """The caller's open mentions."""
    mine = {"agent_id": actor.agent_id} if isinstance(actor, AgentActor) else {"owner_id": actor.owner_id}
    return Mention.objects.filter(acked_at=None, cancelled_at=None, **mine)


class _Counted(Subquery):
    """Counts at most `COUNTED_MOST` rows, so that an abandoned inbox costs no call more than a busy one."""

    template = "(SELECT COUNT(*) FROM (%(subquery)s) AS waiting)"
    output_field = IntegerField()


def count_of_agent() -> Subquery:
    """An agent's open mentions, for the statement that authenticates it: `OuterRef("agent_id")` is the agent."""
    waiting = Mention.objects.filter(agent_id=OuterRef("agent_id"), acked_at=None, cancelled_at=None)
    return _Counted(waiting.values("seq")[:COUNTED_MOST])


def shortened(text: str) -> str:
    """The beginning of `text` that an inbox shows."""
    return text if len(text) <= EXCERPT_CHARACTERS else text[: EXCERPT_CHARACTERS - 1] + "…"


def _places(room: Room, targets: Sequence[Target], source: str) -> dict[str, _Place]:
    """Where each target stands in the room, by its key; without those who left or were rung before."""
    agents = [target.agent for target in targets if target.agent]
    people = [target.owner for target in targets if target.owner]
    places: dict[str, _Place] = {}
    if agents:
        trusts = Member.objects.filter(
            room=room, owner_id=OuterRef("agent__owner_id"), left_at=None, trusts_others=True
        )
        rung = Mention.objects.filter(source=source, agent_id=OuterRef("agent_id"))
        rows = AgentMember.objects.filter(~Exists(rung), room=room, agent__in=agents, left_at=None)
        for key, seq, trust in rows.annotate(trusts=Exists(trusts)).values_list("agent_id", "mention_seq", "trusts"):
            places[key] = _Place(seq, trust)
    if people:
        rung = Mention.objects.filter(source=source, owner_id=OuterRef("owner_id"))
        members = Member.objects.filter(~Exists(rung), room=room, owner__in=people, left_at=None)
        for key, seq, trust in members.values_list("owner_id", "mention_seq", "trusts_others"):
            places[key] = _Place(seq, trust)
    return places


def _author(author: AnyActor) -> dict[str, str | None]:
    return {
        "author_kind": author.kind,
        "author_agent_id": author.agent_id if isinstance(author, AgentActor) else None,
        "author_owner_id": author.owner_id if isinstance(author, AgentActor | HumanActor) else None,
    }


def _trust_level(author: AnyActor, target: Target, place: _Place) -> str:
    """How the recipient may take it, always from the recipient's side (agent-room.md 1.9)."""
    if isinstance(author, HumanActor):
        return "human_owner" if author.owner_id == target.owner_id else "human_member"
    if isinstance(author, AgentActor) and author.owner_id != target.owner_id:
        return "trusted" if place.trusts_others else "untrusted"
    return "same_owner"


def _outcome(room: Room, author: AnyActor, target: Target, place: _Place) -> Outcome:
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


def _store(room: Room, mentions: list[Mention]) -> None:
    if not mentions:
        return
    Mention.objects.bulk_create(mentions)
    agents = [mention.agent_id for mention in mentions if mention.agent_id]
    people = [mention.owner_id for mention in mentions if mention.owner_id]
    if agents:
        members = AgentMember.objects.filter(room=room, agent_id__in=agents)
        members.update(mention_seq=F("mention_seq") + 1)
    if people:
        Member.objects.filter(room=room, owner_id__in=people).update(mention_seq=F("mention_seq") + 1)


def _is_for(actor: Actor, mention: Mention) -> bool:
    if isinstance(actor, AgentActor):
        return mention.agent_id == actor.agent_id
    return mention.owner_id == actor.owner_id
