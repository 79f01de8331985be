"""What rooms put right when an account or an agent ends, inside the operation that ends it."""

from __future__ import annotations

from agentroom.core.audit import Act
from agentroom.core.clock import db_now
from identity import departures
from identity.actors import AnyActor
from identity.models import Agent
from rooms.access import locked_rooms
from rooms.ledger import Change, ContextClass, write
from rooms.membership import part, require_other_admin, take_out
from rooms.models import Member, Role, Room, RoomStatus


def register() -> None:
    departures.register(owner=_owner_goes, agent=_agent_goes)


def _owner_goes(actor: AnyActor, owner_id: str) -> None:
    """Part from every room. One that nobody else is in is archived; one with others must keep an admin."""
    for room in locked_rooms(members__owner_id=owner_id, members__left_at=None):
        members = Member.objects.filter(room=room, left_at=None)
        alone = not members.exclude(owner_id=owner_id).exists()
        role = members.values_list("role", flat=True).get(owner_id=owner_id)
        if role == Role.ADMIN and not alone:
            require_other_admin(room, owner_id, f"delete their account: “{room.name}” would have none")
        plates = part(room, owner_id, db_now(), keep_membership=alone)
        acts = [_left("member.leave", "member", owner_id, plates=plates)]
        if alone and room.status != RoomStatus.ARCHIVED:
            acts.append(_archived(room))
        _keep(room, actor, acts)


def _agent_goes(actor: AnyActor, agent_id: str) -> None:
    """A revoked agent leaves its rooms; what is assigned to it waits there for a person."""
    plate = Agent.objects.values_list("plate", flat=True).get(pk=agent_id)
    for room in locked_rooms(agent_members__agent_id=agent_id, agent_members__left_at=None):
        take_out(room, [agent_id], db_now())
        _keep(room, actor, [_left("agent.remove", "agent", plate)])


def _left(act: str, kind: str, record_id: str, **more: object) -> Act:
    return Act(
        act=act, record_kind=kind, record_id=record_id, before={"present": True}, after={"present": False, **more}
    )


def _archived(room: Room) -> Act:
    before, room.status = room.status, RoomStatus.ARCHIVED
    room.save(update_fields=["status"])
    return Act(
        act="room.status",
        record_kind="room",
        record_id=room.pk,
        before={"status": before},
        after={"status": room.status},
    )


def _keep(room: Room, actor: AnyActor, acts: list[Act]) -> None:
    changes = [Change(act=act) for act in acts]
    write(room, actor, db_now(), changes, context=[ContextClass.ROSTER, ContextClass.ROOM], kind="roster")
