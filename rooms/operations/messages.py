"""Sending and retracting messages. What a message reaches is said by its structured targets alone."""

from __future__ import annotations

from collections.abc import Sequence
from datetime import datetime
from typing import Any

from django.conf import settings
from django.db.models import Model

from agentroom.core.audit import Act
from agentroom.core.errors import Forbidden, NotFound
from agentroom.core.operation import operation
from identity.actors import Actor, AgentActor
from rooms.access import Standing, standing_in
from rooms.addressing import addressees, asking_named
from rooms.bells import Target, bells
from rooms.inbox import ack, asking_pending, cancel
from rooms.inputs import MentionTarget
from rooms.ledger import Change, write
from rooms.models import AgentMember, Mention, MentionKind, Message, Room
from rooms.outputs import Delivery, MentionRef, Retracted, Sent
from rooms.work import require_task

PLATE_WARNING = "The body holds what looks like a plate. Plates in text reach nobody: use mention_targets or @aliases."


@operation
def send_message(
    actor: Actor,
    *,
    room: str,
    body: str,
    mention_targets: Sequence[str | MentionTarget] | None = None,
    parent_id: str | None = None,
    task_id: str | None = None,
    ack_mention_ids: Sequence[str] | None = None,
    idempotency_key: str | None = None,
) -> Sent:
    """Append a message, ring its targets and acknowledge inbox items, all or nothing."""
    wanted = mention_targets or []
    standing = standing_in(actor, room, lock=True, writing=True, along=asking_named(room, wanted))
    place = standing.room
    if parent_id is not None:
        _require_parent(place, parent_id)
    if task_id is not None:
        require_task(place.pk, task_id)
    targets = addressees(place, actor, wanted, standing.read)
    now = standing.now
    acked = ack(actor, ack_mention_ids or [], now)
    message = _message(place, actor, now, body, targets, parent_id, task_id)
    rung = bells(place, now, targets, author=actor, excerpt=body, **_event(message))
    mentions = rung.mentions
    changed = [*_spoke(standing, actor, now), *((row, ["mention_seq"]) for row in rung.members)]
    act = Act(act="message.send", record_kind="message", record_id=message.pk, after=_facts(message, mentions, acked))
    (waiting,) = _keep(place, actor, now, act, rows=[message, *mentions], changed=changed)
    return Sent(
        message_id=message.pk,
        seq=message.seq,
        deliveries=[Delivery(target=ref_of(one), mention_id=one.pk, outcome=one.outcome) for one in mentions],
        acked=acked or None,
        pending=waiting,
        warning=PLATE_WARNING if settings.PLATE_PREFIX in body else None,
    )


@operation
def retract_message(actor: Actor, *, room: str, message_id: str) -> Retracted:
    """Empty a message of one's own, or any as an admin; its tombstone stays and its open mentions go."""
    standing = standing_in(actor, room, lock=True, writing=True)
    message = Message.objects.filter(room=standing.room, pk=message_id).first()
    if message is None:
        raise NotFound("No such message in this room.")
    if not (standing.administers or _is_author(actor, message)):
        raise Forbidden("Only its author or an admin of the room can retract a message.")
    if message.retracted_at is not None:
        return Retracted(message_id=message.pk, seq=message.seq, cancelled_mentions=0)
    now = standing.now
    Message.objects.filter(pk=message.pk, retracted_at=None).update(body="", retracted_at=now, retracted_by=actor.key)
    cancelled = cancel(now, message=message)
    Mention.objects.filter(message=message).update(excerpt="")
    act = Act(
        act="message.retract",
        record_kind="message",
        record_id=message.pk,
        before={"retracted": False},
        after={"retracted": True, "cancelled_mentions": cancelled},
    )
    write(standing.room, actor, now, [Change(act=act)], kind="message")
    return Retracted(message_id=message.pk, seq=message.seq, cancelled_mentions=cancelled)


def ref_of(mention: Mention) -> MentionRef:
    """A mention's target as it was named."""
    if mention.agent:
        return MentionRef(plate=mention.agent.plate, session=mention.session or None)
    return MentionRef(human=mention.owner_id)


def _keep(room: Room, actor: Actor, now: datetime, act: Act, **stored: Any) -> list[Any]:
    """Store the message with what it rang, and count what waits for its author behind it."""
    along = [asking_pending(actor)]
    return write(room, actor, now, [Change(act=act)], messages=1, kind="message", along=along, **stored)


def _require_parent(room: Room, parent_id: str) -> None:
    if not Message.objects.filter(room=room, pk=parent_id).exists():
        raise NotFound("parent_id names no message of this room; nothing was sent.")


def _message(
    room: Room,
    actor: Actor,
    now: datetime,
    body: str,
    targets: list[Target],
    parent_id: str | None,
    task_id: str | None,
) -> Message:
    """The next message of the room, not yet stored."""
    is_agent = isinstance(actor, AgentActor)
    return Message(
        room=room,
        seq=room.message_seq + 1,
        agent_id=actor.agent_id if isinstance(actor, AgentActor) else None,
        owner_id=None if is_agent else actor.owner_id,
        body=body,
        parent_id=parent_id,
        task_id=task_id or "",
        targets=[_stored(target) for target in targets],
        created_at=now,
    )


def _spoke(standing: Standing, actor: Actor, now: datetime) -> list[tuple[Model, Sequence[str]]]:
    """An agent's membership remembers when it last said something: the sign of life of a task's holder."""
    if not isinstance(actor, AgentActor):
        return []
    return [(AgentMember(pk=standing.member_id, last_spoke_at=now), ["last_spoke_at"])]


def _event(message: Message) -> dict[str, Any]:
    return {
        "kind": MentionKind.MESSAGE,
        "source": f"msg:{message.pk}",
        "message": message,
        "task_id": message.task_id,
    }


def _stored(target: Target) -> dict[str, str]:
    if target.agent:
        return {"plate": target.agent.plate, **({"session": target.session} if target.session else {})}
    return {"human": target.key}


def _facts(message: Message, mentions: list[Mention], acked: list[str]) -> dict[str, object]:
    return {"seq": message.seq, "mentions": [mention.pk for mention in mentions], "acked": acked}


def _is_author(actor: Actor, message: Message) -> bool:
    if isinstance(actor, AgentActor):
        return message.agent_id == actor.agent_id
    return message.owner_id == actor.owner_id
