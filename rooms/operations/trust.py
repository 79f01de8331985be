"""The Trust toggle: may other owners put my agents to work in this room. One per room and owner, default off."""

from __future__ import annotations

from datetime import datetime
from typing import Literal

from agentroom.core.audit import Act
from agentroom.core.clock import db_now
from agentroom.core.errors import Forbidden
from agentroom.core.operation import operation
from identity.actors import Actor, AgentActor, HumanActor
from identity.freshness import require_fresh
from identity.models import Agent
from rooms.access import Standing, standing_in
from rooms.ledger import Change, ContextClass, write
from rooms.membership import require_verified
from rooms.models import Member, Room, TrustRequest
from rooms.outputs import RoomConsent, TrustState
from rooms.policies import require_person

Mode = Literal["trust_room", "blocked"]


@operation
def set_trust(actor: HumanActor, *, room: str, on: bool) -> TrustState:
    """A person turns their own toggle. On asks for a fresh verification and a verified account."""
    standing = standing_in(actor, room, lock=True)
    require_person(standing, "turn Trust on or off here")
    if on:
        require_verified(actor.owner_id)
        require_fresh(actor)
    _turn(standing, actor, db_now(), on)
    return TrustState(room=standing.room.pk, owner_id=actor.owner_id, trusts_others=on)


def set_room_consent(actor: AgentActor, *, room: str, mode: Mode) -> RoomConsent:
    """An agent turns its owner's toggle: off always, on only where the owner has allowed this agent to."""
    consent = relay_consent(actor, room=room, mode=mode)
    if consent.refused:
        # Raised after the commit: the request that the owner finds in Needs you stays.
        raise Forbidden(
            "Your owner has not allowed you to turn Trust on. They were asked and find it under Needs you; "
            "go on with work of your own owner until they decide."
        )
    return consent


@operation
def relay_consent(actor: AgentActor, *, room: str, mode: Mode) -> RoomConsent:
    """As `set_room_consent`, with a refusal told rather than raised."""
    on = mode == "trust_room"
    standing = standing_in(actor, room, lock=True, writing=on)
    now = db_now()
    if on and _is_on(standing.room, actor.owner_id):
        return RoomConsent(room=standing.room.pk, mode=mode)
    if on and not Agent.objects.filter(pk=actor.agent_id, may_turn_trust_on=True).exists():
        _ask_owner(standing.room, actor, now)
        return RoomConsent(room=standing.room.pk, mode="blocked", refused=True)
    if on:
        require_verified(actor.owner_id)
    _turn(standing, actor, now, on)
    return RoomConsent(room=standing.room.pk, mode=mode)


@operation
def dismiss_trust_request(actor: HumanActor, *, room: str) -> TrustState:
    """The owner decides to leave Trust as it is; the item leaves Needs you."""
    standing = standing_in(actor, room, lock=True)
    require_person(standing, "answer a request for Trust")
    now = db_now()
    if settled := _settle(standing.room, actor.owner_id, now):
        act = Act(act="trust_request.dismiss", record_kind="trust_request", record_id=settled)
        write(standing.room, actor, now, [Change(act=act)], kind="trust")
    trusts = _is_on(standing.room, actor.owner_id)
    return TrustState(room=standing.room.pk, owner_id=actor.owner_id, trusts_others=trusts)


def _is_on(room: Room, owner_id: str) -> bool:
    return Member.objects.filter(room=room, owner_id=owner_id, left_at=None, trusts_others=True).exists()


def _turn(standing: Standing, actor: Actor, now: datetime, on: bool) -> None:
    """Change the toggle of the caller's owner; nothing happens when it stands so already."""
    member = Member.objects.filter(room=standing.room, owner_id=actor.owner_id, left_at=None)
    if not member.exclude(trusts_others=on).update(trusts_others=on):
        return
    if on:
        _settle(standing.room, actor.owner_id, now)
    act = Act(
        act="trust.on" if on else "trust.off",
        record_kind="member",
        record_id=actor.owner_id,
        before={"trusts_others": not on},
        after={"trusts_others": on},
    )
    write(standing.room, actor, now, [Change(act=act)], context=[ContextClass.ROSTER], kind="trust")


def _ask_owner(room: Room, actor: AgentActor, now: datetime) -> None:
    """One open request per room and owner: asking again renews it."""
    waiting = TrustRequest.objects.filter(room=room, owner_id=actor.owner_id, settled_at=None)
    if waiting.update(asked_at=now, agent_id=actor.agent_id):
        return
    request = TrustRequest.objects.create(room=room, owner_id=actor.owner_id, agent_id=actor.agent_id, asked_at=now)
    act = Act(act="trust_request.open", record_kind="trust_request", record_id=request.pk)
    write(room, actor, now, [Change(act=act)], kind="trust")


def _settle(room: Room, owner_id: str, now: datetime) -> str:
    """Settle the open request, if there is one; its id, else nothing."""
    waiting = TrustRequest.objects.filter(room=room, owner_id=owner_id, settled_at=None)
    request_id = waiting.values_list("pk", flat=True).first()
    if request_id is None:
        return ""
    waiting.update(settled_at=now)
    return request_id
