"""The inbox: steps that ring, acknowledge and count mentions inside the caller's transaction.

Whatever rings has locked the room, so the numbers on the memberships move one at a time.
"""

from __future__ import annotations

from collections.abc import Iterable
from datetime import datetime
from typing import Any

from django.db import connection
from django.db.models import DateTimeField, IntegerField, OuterRef, QuerySet, Subquery

from agentroom.core.errors import Forbidden, NotFound
from agentroom.core.prepared import Ask, Prepared, PreparedUpdate, in_one_trip
from identity.actors import Actor, AgentActor, AnyActor
from identity.models import Agent, Owner
from rooms.access import rooms_of
from rooms.bells import Target, bells
from rooms.models import Mention, MentionKind, Message, Room
from rooms.outputs import Pending

COUNTED_MOST = 1000
# What rings for a task itself; a message about it is another matter.
OF_A_TASK = (MentionKind.ASSIGNED.value, MentionKind.UNBLOCKED.value)


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
    rung = bells(
        room,
        now,
        [Target(agent=agent, owner=owner, session=session)],
        author=author,
        source=source,
        excerpt=excerpt,
        kind=kind,
        message=message,
        task_id=task_id,
    )
    for row in [*rung.mentions, *rung.members]:
        row.save(force_insert=True) if isinstance(row, Mention) else row.save(update_fields=["mention_seq"])
    return rung.mentions[0] if rung.mentions else None


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


def cancelling_for_task(now: datetime, *, agent_id: str, task_id: str) -> Ask:
    """As `cancel`, for all that rings one agent for a task itself, to travel with other statements."""
    at = connection.ops.adapt_datetimefield_value(now)
    return _CANCEL_FOR_TASK.asking(agent_id=agent_id, task_id=task_id, at=at)


def pending(actor: Actor) -> Pending:
    """How much waits in the caller's inbox over all rooms, and since when."""
    return in_one_trip(asking_pending(actor))[0]  # type: ignore[no-any-return]


def asking_pending(actor: Actor) -> Ask:
    """As `pending`, for several reads at once."""
    if isinstance(actor, AgentActor):
        ask = _WAITING_FOR_AGENT.asking(agent_id=actor.agent_id)
    else:
        ask = _WAITING_FOR_PERSON.asking(owner_id=actor.owner_id)
    return ask.then(_as_pending)


def _as_pending(rows: list[Any]) -> Pending:
    mentions, oldest = rows[0] if rows else (0, None)
    return Pending(mentions=mentions, oldest=oldest)


def open_of(actor: Actor) -> Any:
    """The caller's open mentions."""
    mine = {"agent_id": actor.agent_id} if isinstance(actor, AgentActor) else {"owner_id": actor.owner_id}
    return Mention.objects.filter(acked_at=None, cancelled_at=None, **mine)


class _Counted(Subquery):
    """Counts at most `COUNTED_MOST` rows, so that an abandoned inbox costs no call more than a busy one."""

    template = "(SELECT COUNT(*) FROM (%(subquery)s) AS waiting)"
    output_field = IntegerField()


class _Oldest(Subquery):
    """The earliest of the same rows."""

    template = "(SELECT MIN(created_at) FROM (%(subquery)s) AS waiting)"
    output_field = DateTimeField()


def count_of_agent() -> Subquery:
    """An agent's open mentions, for the statement that authenticates it: `OuterRef("agent_id")` is the agent."""
    return _Counted(_first(agent_id=OuterRef("agent_id")).values("seq"))


def _first(**whose: Any) -> QuerySet[Mention]:
    open_ones = Mention.objects.filter(acked_at=None, cancelled_at=None, **whose)
    return open_ones.order_by("room_id", "seq")[:COUNTED_MOST]


def _waiting(whom: QuerySet[Any], **whose: Any) -> Any:
    """(how many, since when) for one agent or person."""
    first = _first(**whose).values("created_at")
    return whom.annotate(waiting=_Counted(first), oldest=_Oldest(first)).values_list("waiting", "oldest")


_CANCEL_FOR_TASK = PreparedUpdate(
    lambda agent_id, task_id, at: (
        Mention.objects.filter(
            acked_at=None, cancelled_at=None, agent_id=agent_id, task_id=task_id, kind__in=OF_A_TASK
        ),
        {"cancelled_at": at},
    )
)
_WAITING_FOR_AGENT = Prepared(
    lambda agent_id: _waiting(Agent.objects.filter(pk=agent_id), agent_id=OuterRef("pk")),
)
_WAITING_FOR_PERSON = Prepared(
    lambda owner_id: _waiting(Owner.objects.filter(pk=owner_id), owner_id=OuterRef("pk")),
)


def _is_for(actor: Actor, mention: Mention) -> bool:
    if isinstance(actor, AgentActor):
        return mention.agent_id == actor.agent_id
    return mention.owner_id == actor.owner_id
