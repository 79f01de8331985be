"""Invites: single use, seven days, issued and accepted by people, each for its recipient."""

from __future__ import annotations

from datetime import timedelta

import pytest
from django.core import mail

from agentroom.core import background
from agentroom.core.clock import shifted
from agentroom.core.errors import Conflict, Forbidden, LimitReached, NotAMember, NotFound
from agentroom.core.limits import INVITE, OPEN_INVITES_PER_ROOM
from agentroom.core.models import AuditRow
from identity.models import Owner
from rooms.access import room_for
from rooms.jobs import mail_invites
from rooms.models import AgentMember, Invite, Member
from rooms.operations.invites import accept_invite, invite, revoke_invite
from rooms.operations.members import leave_room
from rooms.operations.rooms import set_room_status
from rooms.queries.invites import invite_behind, invites_for, invites_to
from tests import factories
from tests.clients import committed


@pytest.fixture
def iris(db) -> Owner:
    """Somebody who is in no room yet."""
    return factories.make_owner("iris")


@pytest.fixture
def issue(cast, as_person):
    """`issue("human_email", "iris@example.test")`: ada invites to Harbour."""

    def run(kind="human_link", target="", **more):
        return invite(as_person(cast.ada), room=cast.harbour.pk, kind=kind, target=target, **more)

    return run


def test_a_link_brings_a_person_and_the_agents_they_pick(cast, iris, issue, as_person, call):
    kite, heron = factories.make_agent(iris, "kite"), factories.make_agent(iris, "heron")
    joined = accept_invite(as_person(iris), token=issue().token, plates=[kite.plate, kite.plate])

    assert (joined.room, joined.role, joined.plates) == (cast.harbour.pk, "member", [kite.plate])
    assert call(kite, "send_message", room=cast.harbour.pk, body="Ahoy").ok
    assert call(heron, "read_room", room=cast.harbour.pk).code == "NOT_FOUND"
    assert Member.objects.get(room=cast.harbour, owner=iris).trusts_others is False


def test_an_invite_works_once(cast, iris, issue, as_person):
    token = issue().token
    accept_invite(as_person(iris), token=token)
    with pytest.raises(Conflict, match="used"):
        accept_invite(as_person(factories.make_owner("noor")), token=token)


def test_an_invite_ends_after_seven_days(iris, issue, as_person):
    token = issue().token
    with shifted(INVITE - timedelta(seconds=5)):
        assert invite_behind(as_person(iris), token=token).state == "pending"
    with shifted(INVITE + timedelta(seconds=1)):
        assert invite_behind(as_person(iris), token=token).state == "expired"
        with pytest.raises(Conflict, match="expired"):
            accept_invite(as_person(iris), token=token)


def test_a_revoked_invite_is_dead_at_once(cast, iris, issue, as_person):
    issued = issue()
    for _ in range(2):
        revoke_invite(as_person(cast.ada), room=cast.harbour.pk, invite_id=issued.invite_id)
    with pytest.raises(Conflict, match="revoked"):
        accept_invite(as_person(iris), token=issued.token)
    assert AuditRow.objects.filter(act="invite.revoke").count() == 1


def test_an_accepted_invite_cannot_be_revoked(cast, iris, issue, as_person):
    issued = issue()
    accept_invite(as_person(iris), token=issued.token)
    with pytest.raises(Conflict):
        revoke_invite(as_person(cast.ada), room=cast.harbour.pk, invite_id=issued.invite_id)


def test_only_a_hash_of_the_token_is_kept(issue):
    issued = issue()
    assert issued.token not in str(list(Invite.objects.values()))
    assert issued.token not in str(list(AuditRow.objects.values()))


def test_an_unknown_token_is_not_found(iris, as_person):
    with pytest.raises(NotFound):
        accept_invite(as_person(iris), token="x" * 32)
    with pytest.raises(NotFound):
        accept_invite(as_person(iris))


def test_an_invite_by_mail_is_mailed_once_and_its_token_then_forgotten(cast, issue, settings):
    with committed():
        issued = issue("human_email", "Iris@Example.test")
    assert bytes(Invite.objects.get().mail_token_encrypted)
    assert background._nudges.take(0) == ("rooms.mail_invites", ())
    mail_invites()

    [message] = mail.outbox
    assert message.to == ["iris@example.test"]
    assert f"{settings.AGENTROOM_BASE_URL}/invites/{issued.token}" in message.body
    assert not bytes(Invite.objects.get().mail_token_encrypted)
    mail_invites()
    assert len(mail.outbox) == 1


def test_an_invite_by_mail_is_for_that_address(cast, iris, issue, as_person):
    issued = issue("human_email", iris.email)
    with pytest.raises(Forbidden, match="another e-mail address"):
        accept_invite(as_person(factories.make_owner("noor")), token=issued.token)
    with pytest.raises(NotFound):
        accept_invite(as_person(factories.make_owner("mia")), invite_id=issued.invite_id)
    assert Invite.objects.get().state == "pending"
    assert accept_invite(as_person(iris), token=issued.token).room == cast.harbour.pk


def test_an_invite_by_plate_brings_that_agent_whoever_else_comes(cast, iris, issue, as_person):
    kite, heron = factories.make_agent(iris, "kite"), factories.make_agent(iris, "heron")
    issued = issue("agent_plate", kite.plate)
    assert [one.invite_id for one in invites_for(as_person(iris))] == [issued.invite_id]
    with pytest.raises(Forbidden, match="another agent"):
        accept_invite(as_person(factories.make_owner("noor")), token=issued.token)

    joined = accept_invite(as_person(iris), invite_id=issued.invite_id, plates=[heron.plate])
    assert joined.plates == [kite.plate, heron.plate]
    assert invites_for(as_person(iris)) == []


def test_an_invite_by_plate_adds_an_agent_of_somebody_who_is_in_already(cast, issue, as_person):
    drift = factories.make_agent(cast.grace, "drift")
    accept_invite(as_person(cast.grace), token=issue("agent_plate", drift.plate).token)
    assert AgentMember.objects.filter(room=cast.harbour, agent=drift, left_at=None).exists()


def test_a_link_is_not_used_up_by_somebody_who_is_in_already(cast, issue, as_person):
    with pytest.raises(Conflict, match="not used up"):
        accept_invite(as_person(cast.grace), token=issue().token)
    assert Invite.objects.get().state == "pending"


def test_nobody_brings_an_agent_of_another(cast, iris, issue, as_person):
    with pytest.raises(NotFound):
        accept_invite(as_person(iris), token=issue().token, plates=[cast.quill.plate])
    assert Invite.objects.get().state == "pending"
    assert not Member.objects.filter(owner=iris).exists()


def test_joining_other_owners_needs_a_verified_account(cast, issue, as_person):
    fresh = factories.make_owner("fresh", verified=False)
    with pytest.raises(Forbidden, match="verified"):
        accept_invite(as_person(fresh), token=issue().token)
    assert not Member.objects.filter(owner=fresh).exists()


def test_only_admins_invite_revoke_and_see_invites(cast, issue, as_person):
    issued = issue()
    for who in (as_person(cast.grace), factories.actor_of(cast.scout)):
        with pytest.raises(Forbidden):
            invite(who, room=cast.harbour.pk, kind="human_link")
        with pytest.raises(Forbidden):
            revoke_invite(who, room=cast.harbour.pk, invite_id=issued.invite_id)
        with pytest.raises(Forbidden):
            invites_to(who, room=cast.harbour.pk)
    [listed] = invites_to(as_person(cast.ada), room=cast.harbour.pk)
    assert (listed.kind, listed.state, listed.invited_by) == ("human_link", "pending", "ada")


def test_somebody_who_is_in_already_is_not_invited(cast, issue):
    for kind, target in (("human_email", cast.grace.email), ("agent_plate", cast.quill.plate)):
        with pytest.raises(Conflict):
            issue(kind, target)
    with pytest.raises(Conflict, match="your own"):
        issue("agent_plate", factories.make_agent(cast.ada, "drift").plate)
    with pytest.raises(NotFound):
        issue("agent_plate", "BRNL-AGT-00000000")


def test_whoever_is_invited_is_told_so_and_nothing_more(cast, iris, issue, call, as_person):
    kite = factories.make_agent(iris, "kite")
    assert call(kite, "read_room", room=cast.harbour.pk).code == "NOT_FOUND"
    issue("agent_plate", kite.plate)
    assert call(kite, "read_room", room=cast.harbour.pk).code == "NOT_A_MEMBER"
    issue("human_email", iris.email)
    with pytest.raises(NotAMember):
        room_for(as_person(iris), cast.harbour.pk)


def test_a_former_member_comes_back_as_a_new_one(cast, issue, as_person):
    grace = as_person(cast.grace)
    leave_room(grace, room=cast.harbour.pk)
    accept_invite(grace, token=issue(role="admin").token, plates=[cast.quill.plate])
    member = Member.objects.get(room=cast.harbour, owner=cast.grace)
    assert (member.left_at, member.role) == (None, "admin")


def test_nobody_joins_an_archived_room(cast, iris, issue, as_person):
    token = issue().token
    set_room_status(as_person(cast.ada), room=cast.harbour.pk, status="archived")
    with pytest.raises(Conflict, match="archived"):
        accept_invite(as_person(iris), token=token)


def test_open_invites_are_bounded(cast, issue):
    one = issue()
    first = Invite.objects.get(pk=one.invite_id)
    Invite.objects.bulk_create(
        Invite(
            room=cast.harbour,
            kind="human_link",
            token_hash=str(number),
            created_by=cast.ada,
            created_at=first.created_at,
            expires_at=first.expires_at,
        )
        for number in range(OPEN_INVITES_PER_ROOM - 1)
    )
    with pytest.raises(LimitReached):
        issue()
