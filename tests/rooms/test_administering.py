"""Making a room and keeping it: name, focus, ROOM.md; each edit over what its editor has seen."""

from __future__ import annotations

import pytest
from pydantic import ValidationError

from agentroom.core.contract import registry
from agentroom.core.errors import Conflict, Forbidden, LimitReached
from agentroom.core.limits import FOCUS_BYTES, ROOM_DOCUMENT_BYTES, ROOMS_PER_OWNER
from agentroom.core.models import AuditRow, ChangeFeed, Revision
from rooms.forms import CreateRoom, EditFocus, EditRoomDocument
from rooms.models import Room
from rooms.operations.rooms import create_room, edit_focus, edit_room_document, rename_room, set_room_status
from rooms.queries.settings import document_of, focus_of, room_state
from tests import factories


def test_a_person_makes_a_private_room_and_administers_it(ada, as_person, call):
    made = create_room(as_person(ada), name="Lagoon", objective="Map the reef")

    assert (made.name, made.status, made.revision, made.context_version) == ("Lagoon", "active", 1, 1)
    assert focus_of(as_person(ada), room=made.room).objective == "Map the reef"
    room = Room.objects.get(pk=made.room)
    assert [(member.owner_id, member.role) for member in room.members.all()] == [(ada.pk, "admin")]
    outsider = factories.make_agent(ada, "outsider")
    assert call(outsider, "read_room", room=made.room).code == "NOT_FOUND"


def test_making_a_room_twice_with_one_key_makes_one(ada, as_person):
    once = [create_room(as_person(ada), name="Lagoon", idempotency_key="k") for _ in range(2)]
    assert once[0] == once[1]
    assert Room.objects.filter(name="Lagoon").count() == 1


def test_no_tool_makes_or_administers_a_room():
    human_acts = {"create_room", "rename_room", "set_room_status", "edit_focus", "invite", "accept_invite", "set_trust"}
    assert human_acts.isdisjoint(tool.name for tool in registry.tools())


def test_a_person_has_at_most_fifty_rooms_that_are_not_archived(ada, as_person):
    have = Room.objects.filter(created_by=ada).count()
    rooms = [create_room(as_person(ada), name=f"Room {number}") for number in range(have, ROOMS_PER_OWNER)]
    with pytest.raises(LimitReached):
        create_room(as_person(ada), name="One more")
    set_room_status(as_person(ada), room=rooms[0].room, status="archived")
    create_room(as_person(ada), name="One more")
    with pytest.raises(LimitReached):
        set_room_status(as_person(ada), room=rooms[0].room, status="active")


def test_renaming_keeps_the_revision_in_step(cast, as_person):
    ada = as_person(cast.ada)
    assert rename_room(ada, room=cast.harbour.pk, name="Marina", expected_revision=1).revision == 2
    with pytest.raises(Conflict):
        rename_room(ada, room=cast.harbour.pk, name="Quay", expected_revision=1)
    assert room_state(as_person(cast.grace), room=cast.harbour.pk).name == "Marina"


def test_the_first_focus_wins_and_the_second_editor_is_told(cast, as_person):
    ada = as_person(cast.ada)
    assert edit_focus(ada, room=cast.harbour.pk, objective="Paint", expected_revision=1).revision == 2
    with pytest.raises(Conflict) as refused:
        edit_focus(ada, room=cast.harbour.pk, objective="Sail", expected_revision=1)
    assert refused.value.facts == {"revision": 2}
    assert focus_of(as_person(cast.grace), room=cast.harbour.pk).objective == "Paint"
    assert Revision.objects.get(kind="notebook", revision=2).data == {"objective": "Paint"}


def test_room_md_has_versions_and_the_first_writer_wins(cast, as_person):
    ada = as_person(cast.ada)
    assert document_of(as_person(cast.grace), room=cast.harbour.pk).version == 0
    edit_room_document(ada, room=cast.harbour.pk, content="# One", expected_version=0)
    with pytest.raises(Conflict):
        edit_room_document(ada, room=cast.harbour.pk, content="# Two", expected_version=0)
    edit_room_document(ada, room=cast.harbour.pk, content="# Two", expected_version=1)
    document = document_of(as_person(cast.grace), room=cast.harbour.pk)
    assert (document.content, document.version) == ("# Two", 2)


def test_members_and_agents_administer_nothing(cast, as_person):
    for who in (as_person(cast.grace), factories.actor_of(cast.scout)):
        with pytest.raises(Forbidden):
            rename_room(who, room=cast.harbour.pk, name="Mine")
        with pytest.raises(Forbidden):
            edit_focus(who, room=cast.harbour.pk, objective="Mine", expected_revision=1)
        with pytest.raises(Forbidden):
            edit_room_document(who, room=cast.harbour.pk, content="Mine", expected_version=0)


def test_the_feed_and_the_audit_chain_tell_each_change_in_order(cast, as_person):
    ada = as_person(cast.ada)
    rename_room(ada, room=cast.harbour.pk, name="Marina")
    edit_focus(ada, room=cast.harbour.pk, objective="Paint", expected_revision=1)
    edit_room_document(ada, room=cast.harbour.pk, content="# One", expected_version=0)

    acts = AuditRow.objects.filter(chain=cast.harbour.pk).order_by("seq").values_list("seq", "act")
    assert list(acts) == [(1, "room.rename"), (2, "focus.edit"), (3, "room.document")]
    feed = ChangeFeed.objects.filter(room_id=cast.harbour.pk).order_by("seq").values_list("seq", "kind", "revision")
    assert list(feed) == [(1, "room", 2), (2, "notebook", 2), (3, "room", 3)]


@pytest.mark.parametrize("name", ["", " ", "\u200b", "x" * 65, "two\nlines"])
def test_names_that_are_none(name):
    with pytest.raises(ValidationError):
        CreateRoom(name=name)


def test_texts_over_their_limits():
    with pytest.raises(ValidationError, match=f"max {FOCUS_BYTES} bytes"):
        EditFocus(room="0" * 26, objective="é" * (FOCUS_BYTES // 2 + 1), expected_revision=1)
    with pytest.raises(ValidationError, match=f"max {ROOM_DOCUMENT_BYTES} bytes"):
        EditRoomDocument(room="0" * 26, content="x" * (ROOM_DOCUMENT_BYTES + 1), expected_version=0)
