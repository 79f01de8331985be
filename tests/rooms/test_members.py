"""People and agents come and go; a room is never without an admin."""

from __future__ import annotations

import pytest

from agentroom.core.errors import Conflict, Forbidden, NotAMember, NotFound
from agentroom.core.models import AuditRow
from rooms.access import room_for
from rooms.models import AgentMember, Member, Mention
from rooms.operations.members import add_agent, leave_room, remove_agent, remove_member, set_role
from tests import factories


def test_whoever_leaves_takes_their_agents_along_and_nothing_waits_for_them(call, cast, as_person):
    call(cast.scout, "send_message", room=cast.harbour.pk, body="Hi", mention_targets=["@quill", "@grace"])
    factories.set_trust(cast.harbour, cast.grace)
    left = leave_room(as_person(cast.grace), room=cast.harbour.pk)

    assert left.left is True
    assert call(cast.quill, "read_room", room=cast.harbour.pk).code == "NOT_A_MEMBER"
    assert call(cast.quill, "list_rooms")["rooms"] == []
    assert not Mention.objects.filter(cancelled_at=None).exists()
    member = Member.objects.get(room=cast.harbour, owner=cast.grace)
    assert (member.left_at is not None, member.trusts_others) == (True, False)
    gone = call(cast.scout, "send_message", room=cast.harbour.pk, body="Hi", mention_targets=["@quill"])
    assert gone.code == "NOT_FOUND"


def test_the_last_admin_neither_leaves_nor_becomes_a_member(cast, as_person):
    ada = as_person(cast.ada)
    with pytest.raises(Conflict, match="last admin"):
        leave_room(ada, room=cast.harbour.pk)
    with pytest.raises(Conflict, match="last admin"):
        set_role(ada, room=cast.harbour.pk, owner_id=cast.ada.pk, role="member")

    set_role(ada, room=cast.harbour.pk, owner_id=cast.grace.pk, role="admin")
    set_role(ada, room=cast.harbour.pk, owner_id=cast.ada.pk, role="member")
    with pytest.raises(Conflict, match="last admin"):
        leave_room(as_person(cast.grace), room=cast.harbour.pk)
    leave_room(ada, room=cast.harbour.pk)


def test_an_admin_whose_account_is_suspended_does_not_count(cast, as_person):
    set_role(as_person(cast.ada), room=cast.harbour.pk, owner_id=cast.grace.pk, role="admin")
    cast.grace.is_active = False
    cast.grace.save()
    with pytest.raises(Conflict):
        leave_room(as_person(cast.ada), room=cast.harbour.pk)


def test_only_admins_remove_people_and_change_roles(cast, as_person):
    grace = as_person(cast.grace)
    with pytest.raises(Forbidden):
        remove_member(grace, room=cast.harbour.pk, owner_id=cast.ada.pk)
    with pytest.raises(Forbidden):
        set_role(grace, room=cast.harbour.pk, owner_id=cast.grace.pk, role="admin")
    with pytest.raises(Forbidden):
        set_role(factories.actor_of(cast.scout), room=cast.harbour.pk, owner_id=cast.grace.pk, role="admin")

    remove_member(as_person(cast.ada), room=cast.harbour.pk, owner_id=cast.grace.pk)
    with pytest.raises(NotAMember):
        room_for(grace, cast.harbour.pk)
    with pytest.raises(NotAMember):
        room_for(factories.actor_of(cast.quill), cast.harbour.pk)


def test_somebody_who_is_not_in_the_room_is_not_found(cast, as_person):
    mallory = factories.make_owner("mallory")
    for act in (remove_member, lambda actor, **who: set_role(actor, role="admin", **who)):
        with pytest.raises(NotFound):
            act(as_person(cast.ada), room=cast.harbour.pk, owner_id=mallory.pk)
    with pytest.raises(Conflict):
        remove_member(as_person(cast.ada), room=cast.harbour.pk, owner_id=cast.ada.pk)


def test_a_role_stays_when_set_again(cast, as_person):
    ada = as_person(cast.ada)
    for _ in range(2):
        assert set_role(ada, room=cast.harbour.pk, owner_id=cast.grace.pk, role="admin").role == "admin"
    [row] = AuditRow.objects.filter(chain=cast.harbour.pk)
    assert (row.act, row.before, row.after) == ("member.role", {"role": "member"}, {"role": "admin"})


def test_people_bring_agents_of_their_own_only(call, cast, as_person):
    drift = factories.make_agent(cast.grace, "drift")
    with pytest.raises(NotFound):
        add_agent(as_person(cast.ada), room=cast.harbour.pk, plate=drift.plate)
    for _ in range(2):
        add_agent(as_person(cast.grace), room=cast.harbour.pk, plate=drift.plate)

    assert AgentMember.objects.get(agent=drift).added_by == cast.grace
    assert AuditRow.objects.filter(act="agent.add").count() == 1
    assert call(drift, "send_message", room=cast.harbour.pk, body="Here").ok


def test_agents_bring_nobody(cast):
    drift = factories.make_agent(cast.ada, "drift")
    with pytest.raises(Forbidden):
        add_agent(factories.actor_of(cast.scout), room=cast.harbour.pk, plate=drift.plate)


def test_an_agent_is_taken_out_by_its_owner_or_an_admin_and_may_come_back(call, cast, as_person):
    with pytest.raises(Forbidden):
        remove_agent(as_person(cast.grace), room=cast.harbour.pk, plate=cast.scout.plate)
    remove_agent(as_person(cast.ada), room=cast.harbour.pk, plate=cast.quill.plate)
    assert call(cast.quill, "read_room", room=cast.harbour.pk).code == "NOT_A_MEMBER"
    with pytest.raises(NotFound):
        remove_agent(as_person(cast.ada), room=cast.harbour.pk, plate=cast.quill.plate)

    add_agent(as_person(cast.grace), room=cast.harbour.pk, plate=cast.quill.plate)
    assert call(cast.quill, "read_room", room=cast.harbour.pk).ok


def test_a_returning_agent_counts_its_mentions_on(call, cast, as_person):
    call(cast.scout, "send_message", room=cast.harbour.pk, body="Hi", mention_targets=["@quill"])
    grace = as_person(cast.grace)
    remove_agent(grace, room=cast.harbour.pk, plate=cast.quill.plate)
    add_agent(grace, room=cast.harbour.pk, plate=cast.quill.plate)
    call(cast.scout, "send_message", room=cast.harbour.pk, body="Hi", mention_targets=["@quill"])
    [item] = call(cast.quill, "check_mentions")["mentions"]
    assert item["seq"] == 2
