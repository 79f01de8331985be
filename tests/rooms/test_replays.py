"""An answer kept under an idempotency key is not handed to somebody who may no longer read what it is about."""

from __future__ import annotations

import pytest

from agentroom.core.contract import registry
from agentroom.core.errors import NotAMember
from rooms.models import Room, RoomStatus
from rooms.operations.members import add_agent, leave_room, remove_agent
from rooms.operations.rooms import create_room
from tests import factories
from tests.clients import McpClient, RestClient

KEYED = {
    "create_task": {"title": "Paint the bilge", "definition_of_done": "It is bilge green."},
    "send_message": {"body": "The bilge is green."},
    "claim_task": {},
    "complete_task": {"status": "done", "summary": "Painted the bilge.", "handoff_notes": "Green."},
}


def test_every_keyed_tool_is_tried_here():
    assert set(KEYED) == {tool.name for tool in registry.tools() if "idempotency_key" in tool.input.model_fields}


@pytest.fixture(params=[McpClient, RestClient])
def client(request, forge):
    return request.param(factories.token_for(forge))


@pytest.fixture
def keyed(harbour, scout, forge, client):
    """`keyed(tool)`: its first call with a key, made, as a function that makes it again."""

    def first(tool):
        arguments = {**KEYED[tool], "idempotency_key": "once"}
        if tool in {"create_task", "send_message"}:
            arguments["room"] = harbour.pk
        else:
            task = factories.make_task(harbour, "The bilge", creator=scout, assignee=forge)
            arguments["task_id"] = task.pk
            if tool == "complete_task":
                assert client.call("claim_task", task_id=task.pk)["claimed"]
        assert client.call(tool, **arguments).ok
        return lambda: client.call(tool, **arguments)

    return first


@pytest.mark.parametrize("tool", KEYED)
def test_who_was_taken_out_gets_no_old_answer(keyed, tool, ada, harbour, forge):
    again = keyed(tool)
    remove_agent(factories.signed_in(ada), room=harbour.pk, plate=forge.plate)

    answer = again()

    assert answer.code in {"NOT_FOUND", "NOT_A_MEMBER"}
    assert b"bilge" not in answer.raw


@pytest.mark.parametrize("tool", KEYED)
def test_who_is_still_there_gets_it_even_while_the_room_is_paused(keyed, tool, harbour):
    again = keyed(tool)
    harbour.status = RoomStatus.PAUSED
    harbour.save(update_fields=["status"])

    assert again().ok


def test_a_person_who_left_the_room_they_made_is_not_told_of_it_again(ada, grace):
    person = factories.signed_in(ada)
    made = create_room(person, name="Shed", idempotency_key="once")
    assert create_room(person, name="Shed", idempotency_key="once") == made
    factories.make_member(Room.objects.get(pk=made.room), grace, role="admin")
    leave_room(person, room=made.room)

    with pytest.raises(NotAMember):
        create_room(person, name="Shed", idempotency_key="once")


def test_the_same_key_after_coming_back_is_the_first_answer_again(keyed, client, ada, harbour, forge):
    again = keyed("send_message")
    first = again().data
    remove_agent(factories.signed_in(ada), room=harbour.pk, plate=forge.plate)
    assert not again().ok
    add_agent(factories.signed_in(ada), room=harbour.pk, plate=forge.plate)

    assert again().data == first
