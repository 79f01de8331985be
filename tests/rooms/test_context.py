"""Room context: whole, only what changed, or not modified in one statement (invariant 16)."""

from __future__ import annotations

import pytest

from agentroom.core.limits import CONTEXT_VERSIONS
from identity.authentication import authenticate, v1_resource
from rooms.models import Room
from rooms.operations.members import add_agent, set_role
from rooms.operations.rooms import edit_focus, edit_room_document, rename_room
from rooms.operations.workspace import set_workspace, set_workspace_token
from rooms.queries.context import get_room_context
from tests import factories

ALL_CLASSES = ["files", "focus", "room", "roster", "tasks"]


@pytest.fixture
def changed(cast, as_person) -> Room:
    """Harbour with a focus and a ROOM.md, at version 2."""
    ada = as_person(cast.ada)
    edit_focus(ada, room=cast.harbour.pk, objective="Paint the hull", expected_revision=1)
    edit_room_document(ada, room=cast.harbour.pk, content="# Rules\n", expected_version=0)
    return cast.harbour


def test_the_full_answer_holds_every_section(connect, cast, changed):
    context = connect(cast.quill).call("get_room_context", room=changed.pk)

    assert (context["complete"], context["classes"], context["context_version"]) == (True, ALL_CLASSES, 2)
    assert context["about"] == {"name": "Harbour", "status": "active", "cross_owner": True}
    assert context["focus"] == {"objective": "Paint the hull", "revision": 2}
    assert context["decisions"] == []
    assert context["files"][0] == {"path": "ROOM.md", "version": 1, "size_bytes": 8}
    assert {agent["alias"] for agent in context["roster"]["agents"]} == {
        "@scout(ada)",
        "@forge(ada)",
        "@quill(grace)",
    }
    assert (context["last_seq"], context["board_version"]) == (0, 0)


def test_the_present_version_is_not_modified_in_few_bytes(connect, cast, changed):
    answer = connect(cast.quill).call("get_room_context", room=changed.pk, since_version=2)
    assert answer.data == {"context_version": 2, "not_modified": True}


def test_the_probe_costs_one_statement_after_authentication(cast, changed, counting_queries):
    token = factories.token_for(cast.quill)
    actor = authenticate(token, resource=v1_resource())
    with counting_queries() as queries:
        answer = get_room_context(actor, room=changed.pk, since_version=2)
    assert answer.not_modified is True
    assert len(queries) == 1


def test_only_changed_classes_are_sent(call, cast, changed, as_person):
    context = call(cast.quill, "get_room_context", room=changed.pk, since_version=1)
    assert (context["complete"], context["classes"]) == (False, ["files"])
    assert "files" in context.data
    assert {"focus", "roster", "about"}.isdisjoint(context.data)

    rename_room(as_person(cast.ada), room=changed.pk, name="Marina")
    context = call(cast.quill, "get_room_context", room=changed.pk, since_version=2)
    assert (context["classes"], context["about"]["name"]) == (["room"], "Marina")


@pytest.mark.parametrize("since", [0, 1, 99_999])
def test_an_ancient_or_unknown_version_gets_the_whole(call, cast, changed, since):
    Room.objects.filter(pk=changed.pk).update(context_version=CONTEXT_VERSIONS + 10)
    context = call(cast.quill, "get_room_context", room=changed.pk, since_version=since)
    assert (context["complete"], context["classes"]) == (True, ALL_CLASSES)


def test_presence_and_messages_do_not_move_the_version(call, cast, changed):
    call(cast.scout, "send_message", room=changed.pk, body="Hello", mention_targets=["@quill"])
    context = call(cast.quill, "get_room_context", room=changed.pk, since_version=2)
    assert context.data == {"context_version": 2, "not_modified": True}


def test_membership_moves_the_roster(call, cast, changed, as_person):
    drift = factories.make_agent(cast.ada, "drift")
    add_agent(as_person(cast.ada), room=changed.pk, plate=drift.plate)
    context = call(cast.quill, "get_room_context", room=changed.pk, since_version=2)
    assert context["classes"] == ["roster"]
    assert drift.plate in {agent["plate"] for agent in context["roster"]["agents"]}


def test_a_stranger_learns_nothing_from_the_version(call, cast, changed):
    drift = factories.make_agent(cast.ada, "drift")
    for since in (2, 1, 99):
        assert call(drift, "get_room_context", room=changed.pk, since_version=since).code == "NOT_FOUND"


def test_the_workspace_is_for_agents_of_admins_and_never_with_its_token(call, cast, changed, as_person):
    ada = as_person(cast.ada)
    set_workspace(ada, room=changed.pk, path="~/hull", url="https://git.example/hull", branch="main")
    set_workspace_token(ada, room=changed.pk, token="ghp_0123456789abcdefWXYZ")

    mine = call(cast.scout, "get_room_context", room=changed.pk)
    assert mine["workspace"] == {"path": "~/hull", "url": "https://git.example/hull", "branch": "main"}
    theirs = call(cast.quill, "get_room_context", room=changed.pk)
    assert "workspace" not in theirs.data
    for answer in (mine, theirs):
        assert b"ghp_" not in answer.raw
        assert b"WXYZ" not in answer.raw


def test_becoming_admin_brings_the_workspace_with_the_next_delta(call, cast, changed, as_person):
    ada = as_person(cast.ada)
    set_workspace(ada, room=changed.pk, url="https://git.example/hull")
    version = call(cast.quill, "get_room_context", room=changed.pk)["context_version"]
    set_role(ada, room=changed.pk, owner_id=cast.grace.pk, role="admin")

    context = call(cast.quill, "get_room_context", room=changed.pk, since_version=version)
    assert context["workspace"] == {"url": "https://git.example/hull"}


def test_a_crowded_room_fits_the_cap(call, cast, changed):
    for number in range(220):
        factories.make_member(changed, factories.make_agent(cast.ada, f"rower {number}"))
    context = call(cast.quill, "get_room_context", room=changed.pk)
    assert len(context.raw) <= 40 * 1024
    assert context["roster"]["truncated"] is True
