"""People leave, are removed and change roles; agents are brought in and taken out."""

from __future__ import annotations

from agentroom.core.audit import Act
from agentroom.core.clock import db_now
from agentroom.core.errors import Conflict, Forbidden, NotFound
from agentroom.core.operation import operation
from identity.actors import HumanActor
from rooms.access import Standing, standing_in
from rooms.ledger import Change, ContextClass, write
from rooms.membership import bring, own_agent, part, require_other_admin, take_out
from rooms.models import AgentMember, Member, Role, Room
from rooms.outputs import AgentMemberState, MemberState
from rooms.policies import require_admin, require_person


@operation
def leave_room(actor: HumanActor, *, room: str) -> MemberState:
    """Leave with all of one's agents. The last admin stays."""
    standing = standing_in(actor, room, lock=True)
    require_person(standing, "leave for their agents")
    if standing.role == Role.ADMIN:
        require_other_admin(standing.room, actor.owner_id, "leave")
    return _parted(standing, actor, actor.owner_id, "member.leave")


@operation
def remove_member(actor: HumanActor, *, room: str, owner_id: str) -> MemberState:
    """An admin removes another person, and their agents with them."""
    standing = standing_in(actor, room, lock=True)
    require_admin(standing, "remove people")
    if owner_id == actor.owner_id:
        raise Conflict("To remove yourself, leave the room.")
    _member(standing.room, owner_id)
    return _parted(standing, actor, owner_id, "member.remove")


@operation
def set_role(actor: HumanActor, *, room: str, owner_id: str, role: str) -> MemberState:
    """An admin makes a member admin, or an admin member. The last admin stays one."""
    standing = standing_in(actor, room, lock=True)
    require_admin(standing, "change roles")
    member = _member(standing.room, owner_id)
    before = member.role
    if before == role:
        return MemberState(room=standing.room.pk, owner_id=owner_id, role=role, left=False)
    if before == Role.ADMIN:
        require_other_admin(standing.room, owner_id, "become a member")
    member.role = role
    member.save(update_fields=["role"])
    act = Act(
        act="member.role", record_kind="member", record_id=owner_id, before={"role": before}, after={"role": role}
    )
    # The workspace pointer comes and goes with the role, so the room class moves with it.
    _keep(standing.room, actor, act, ContextClass.ROSTER, ContextClass.ROOM)
    return MemberState(room=standing.room.pk, owner_id=owner_id, role=role, left=False)


@operation
def add_agent(actor: HumanActor, *, room: str, plate: str) -> AgentMemberState:
    """Bring an agent of one's own into the room."""
    standing = standing_in(actor, room, lock=True)
    require_person(standing, "bring agents into a room")
    agent = own_agent(actor.owner_id, plate)
    if bring(standing.room, agent, actor.owner_id, db_now()):
        act = Act(act="agent.add", record_kind="agent", record_id=agent.plate, after={"present": True})
        _keep(standing.room, actor, act, ContextClass.ROSTER)
    return AgentMemberState(room=standing.room.pk, plate=agent.plate, left=False)


@operation
def remove_agent(actor: HumanActor, *, room: str, plate: str) -> AgentMemberState:
    """Take an agent out: its owner, or an admin. What it holds stays with it until a person reassigns it."""
    standing = standing_in(actor, room, lock=True)
    require_person(standing, "take agents out of a room")
    member = AgentMember.objects.filter(room=standing.room, agent__plate=plate, left_at=None).select_related("agent")
    found = member.first()
    if found is None:
        raise NotFound("No agent with this plate is in the room.")
    if not standing.administers and found.agent.owner_id != actor.owner_id:
        raise Forbidden("Only its owner or an admin of the room can take an agent out.")
    take_out(standing.room, [found.agent_id], db_now())
    act = Act(
        act="agent.remove",
        record_kind="agent",
        record_id=plate,
        before={"present": True},
        after={"present": False},
    )
    _keep(standing.room, actor, act, ContextClass.ROSTER)
    return AgentMemberState(room=standing.room.pk, plate=plate, left=True)


def _member(room: Room, owner_id: str) -> Member:
    member = Member.objects.filter(room=room, owner_id=owner_id, left_at=None).first()
    if member is None:
        raise NotFound("This person is not in the room.")
    return member


def _parted(standing: Standing, actor: HumanActor, owner_id: str, name: str) -> MemberState:
    role = _member(standing.room, owner_id).role
    plates = part(standing.room, owner_id, db_now())
    act = Act(
        act=name,
        record_kind="member",
        record_id=owner_id,
        before={"role": role},
        after={"left": True, "plates": plates},
    )
    _keep(standing.room, actor, act, ContextClass.ROSTER, ContextClass.ROOM)
    return MemberState(room=standing.room.pk, owner_id=owner_id, role=role, left=True)


def _keep(room: Room, actor: HumanActor, act: Act, *classes: ContextClass) -> None:
    write(room, actor, db_now(), [Change(act=act)], context=classes, kind="roster")
