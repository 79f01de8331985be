"""The Trust toggle: one per room and owner, off at first, turned by its owner only."""

from __future__ import annotations

from datetime import timedelta

import pytest

from agentroom.core.clock import shifted
from agentroom.core.errors import Forbidden, NoGrant, NotFound, ReauthenticationRequired
from agentroom.core.limits import FRESH
from agentroom.core.models import AuditRow
from identity.models import Agent, Owner
from rooms.models import Member, TrustRequest
from rooms.operations.trust import dismiss_trust_request, set_trust
from rooms.policies import may_put_to_work, require_grant
from rooms.queries.settings import trust_in, trust_requests_of
from tests import factories


def trusts(room, owner):
    return Member.objects.get(room=room, owner=owner).trusts_others


def test_a_person_turns_their_own_toggle_freshly_verified(harbour, grace, ada):
    assert set_trust(factories.signed_in(grace), room=harbour.pk, on=True).trusts_others is True
    assert (trusts(harbour, grace), trusts(harbour, ada)) == (True, False)
    set_trust(factories.signed_in(grace), room=harbour.pk, on=False)
    assert trusts(harbour, grace) is False


def test_turning_it_on_asks_for_a_fresh_verification_and_off_does_not(harbour, grace):
    person = factories.signed_in(grace)
    with shifted(FRESH + timedelta(seconds=1)), pytest.raises(ReauthenticationRequired):
        set_trust(person, room=harbour.pk, on=True)
    assert trusts(harbour, grace) is False
    factories.set_trust(harbour, grace)
    set_trust(factories.human_of(grace), room=harbour.pk, on=False)
    assert trusts(harbour, grace) is False


def test_turning_it_on_needs_a_verified_account(harbour, grace):
    Owner.objects.filter(pk=grace.pk).update(verified=False)
    with pytest.raises(Forbidden, match="verified"):
        set_trust(factories.signed_in(grace), room=harbour.pk, on=True)


def test_a_stranger_has_no_toggle(harbour):
    with pytest.raises(NotFound):
        set_trust(factories.signed_in(factories.make_owner("mallory")), room=harbour.pk, on=True)


def test_each_turn_leaves_one_audit_row_and_a_repeat_none(harbour, grace):
    for _ in range(2):
        set_trust(factories.signed_in(grace), room=harbour.pk, on=True)
    [row] = AuditRow.objects.filter(chain=harbour.pk)
    assert (row.act, row.record_id, row.after) == ("trust.on", grace.pk, {"trusts_others": True})


def test_an_agent_can_always_block(connect, cast):
    factories.set_trust(cast.harbour, cast.grace)
    answer = connect(cast.quill).call("set_room_consent", room=cast.harbour.pk, mode="blocked")
    assert answer.data == {"room": cast.harbour.pk, "mode": "blocked"}
    assert trusts(cast.harbour, cast.grace) is False


def test_an_agent_turns_it_on_only_where_its_owner_has_allowed_that(connect, cast):
    client = connect(cast.quill)
    refused = client.call("set_room_consent", room=cast.harbour.pk, mode="trust_room")
    assert (refused.code, refused.status) == ("FORBIDDEN", 403)
    assert "owner" in refused.error["message"]
    assert trusts(cast.harbour, cast.grace) is False

    Agent.objects.filter(pk=cast.quill.pk).update(may_turn_trust_on=True)
    assert client.call("set_room_consent", room=cast.harbour.pk, mode="trust_room")["mode"] == "trust_room"
    assert (trusts(cast.harbour, cast.grace), trusts(cast.harbour, cast.ada)) == (True, False)


@pytest.mark.parametrize("mode", ["on", "TRUST_ROOM", "", None, 1])
def test_any_other_mode_is_refused(call, quill, harbour, mode):
    assert call(quill, "set_room_consent", room=harbour.pk, mode=mode).code == "VALIDATION"


def test_the_owner_finds_what_their_agent_asked_for_once(call, cast):
    for _ in range(3):
        call(cast.quill, "set_room_consent", room=cast.harbour.pk, mode="trust_room")
    [asked] = trust_requests_of(factories.human_of(cast.grace))
    assert (asked.room, asked.room_name, asked.agent) == (cast.harbour.pk, "Harbour", "quill")
    assert trust_requests_of(factories.human_of(cast.ada)) == []

    set_trust(factories.signed_in(cast.grace), room=cast.harbour.pk, on=True)
    assert trust_requests_of(factories.human_of(cast.grace)) == []
    assert TrustRequest.objects.get().settled_at is not None


def test_the_owner_may_leave_it_as_it_is(call, cast):
    call(cast.quill, "set_room_consent", room=cast.harbour.pk, mode="trust_room")
    grace = factories.human_of(cast.grace)
    assert dismiss_trust_request(grace, room=cast.harbour.pk).trusts_others is False
    assert trust_requests_of(grace) == []
    call(cast.quill, "set_room_consent", room=cast.harbour.pk, mode="trust_room")
    assert len(trust_requests_of(grace)) == 1


def test_the_gate_lets_through_ones_own_and_the_trusting_only(harbour, ada, grace, scout, quill):
    gate = {"from_owner_id": ada.pk, "agent": quill}
    assert may_put_to_work(harbour.pk, from_owner_id=ada.pk, agent=scout)
    assert not may_put_to_work(harbour.pk, **gate)
    with pytest.raises(NoGrant) as refused:
        require_grant(harbour.pk, **gate)
    assert refused.value.facts == {"owner": "grace"}

    factories.set_trust(harbour, grace)
    require_grant(harbour.pk, **gate)
    lagoon = factories.make_room("Lagoon", admin=grace)
    assert not may_put_to_work(lagoon.pk, **gate)


def test_everybody_in_the_room_sees_the_toggles(harbour, ada, grace):
    factories.set_trust(harbour, grace)
    found = {one.owner_id: one.trusts_others for one in trust_in(factories.human_of(ada), room=harbour.pk)}
    assert found == {ada.pk: False, grace.pk: True}


def test_the_old_consent_verbs_have_nothing_to_do(connect, cast):
    client = connect(cast.quill)
    for tool in ("accept_task", "reject_task"):
        refused = client.call(tool, task_id="0" * 26)
        assert (refused.code, "no pending consent" in refused.error["message"]) == ("CONFLICT", True)
    assert client.call("list_pending_consents", room=cast.harbour.pk)["consents"] == []
