"""Rooms that are not active: agents read, and write nothing (invariant 26); people go on."""

from __future__ import annotations

import pytest

from agentroom.core.errors import Conflict, Forbidden
from agentroom.core.models import AuditRow, Revision
from identity.actors import SystemActor
from rooms.models import Message
from rooms.operations.messages import send_message
from rooms.operations.rooms import pause_room, set_room_status
from tests import factories

CLOSED = ["paused", "stopped", "archived"]
READS = [
    ("read_room", {}),
    ("list_members", {}),
    ("get_room_context", {}),
    ("list_instances", {}),
    ("check_mentions", {}),
    ("resolve_handle", {"handle": "@scout"}),
    ("search_room", {"query": "x"}),
]


@pytest.mark.parametrize("status", CLOSED)
def test_agents_cannot_write_to_a_room_that_is_not_active(connect, cast, as_person, status):
    set_room_status(as_person(cast.ada), room=cast.harbour.pk, status=status)
    refused = connect(cast.scout).call("send_message", room=cast.harbour.pk, body="Hello")
    assert (refused.code, refused.status) == ("THREAD_NOT_ACTIVE", 409)
    assert status in refused.error["message"]
    assert not Message.objects.exists()
    trust = connect(cast.scout).call("set_room_consent", room=cast.harbour.pk, mode="trust_room")
    assert trust.code == "THREAD_NOT_ACTIVE"


@pytest.mark.parametrize("status", CLOSED)
def test_reads_still_work(call, cast, as_person, status):
    set_room_status(as_person(cast.ada), room=cast.harbour.pk, status=status)
    for tool, arguments in READS:
        assert call(cast.quill, tool, room=cast.harbour.pk, **arguments).ok, tool
    assert call(cast.quill, "list_rooms")["rooms"][0]["status"] == status


def test_blocking_others_works_whatever_the_status(call, cast, as_person):
    factories.set_trust(cast.harbour, cast.grace)
    set_room_status(as_person(cast.ada), room=cast.harbour.pk, status="stopped")
    assert call(cast.quill, "set_room_consent", room=cast.harbour.pk, mode="blocked")["mode"] == "blocked"


def test_people_speak_in_a_paused_room_and_open_it_again(cast, call, as_person):
    ada = as_person(cast.ada)
    set_room_status(ada, room=cast.harbour.pk, status="paused")
    assert send_message(ada, room=cast.harbour.pk, body="Back at noon").seq == 1
    set_room_status(ada, room=cast.harbour.pk, status="active")
    assert call(cast.scout, "send_message", room=cast.harbour.pk, body="Aye")["seq"] == 2


def test_only_an_admin_changes_the_status(cast, as_person):
    for who in (as_person(cast.grace), factories.actor_of(cast.scout)):
        with pytest.raises(Forbidden):
            set_room_status(who, room=cast.harbour.pk, status="paused")


def test_a_change_leaves_an_audit_row_and_a_revision_and_a_repeat_leaves_none(cast, as_person):
    ada = as_person(cast.ada)
    for _ in range(2):
        set_room_status(ada, room=cast.harbour.pk, status="paused")
    [row] = AuditRow.objects.filter(chain=cast.harbour.pk)
    assert (row.act, row.before, row.after) == ("room.status", {"status": "active"}, {"status": "paused"})
    [revision] = Revision.objects.filter(kind="room", record_id=cast.harbour.pk)
    assert (revision.revision, revision.data["status"]) == (2, "paused")


def test_the_second_of_two_admins_is_told(cast, as_person):
    ada = as_person(cast.ada)
    set_room_status(ada, room=cast.harbour.pk, status="paused", expected_revision=1)
    with pytest.raises(Conflict) as refused:
        set_room_status(ada, room=cast.harbour.pk, status="archived", expected_revision=1)
    assert refused.value.facts["revision"] == 2


def test_an_operator_pauses_a_room_without_being_in_it(cast):
    for _ in range(2):
        assert pause_room(SystemActor(operator_id="op1"), room=cast.harbour.pk).status == "paused"
    assert AuditRow.objects.get(chain=cast.harbour.pk).actor_key == "operator:op1"
