"""When an account or an agent ends, its rooms are put right in the same transaction."""

from __future__ import annotations

import pytest

from agentroom.core.errors import Conflict
from identity.models import Owner
from identity.operations.accounts import delete_account
from identity.operations.agents import revoke_agent
from rooms.models import Member, Mention, Room
from rooms.operations.members import set_role
from tests import factories


def test_a_deleted_account_leaves_its_rooms_with_its_agents(call, cast):
    call(cast.scout, "send_message", room=cast.harbour.pk, body="Hi", mention_targets=["@quill", "@grace"])
    delete_account(factories.signed_in(cast.grace))

    assert [member.owner_id for member in Member.objects.filter(room=cast.harbour, left_at=None)] == [cast.ada.pk]
    members = call(cast.scout, "list_members", room=cast.harbour.pk)
    assert "quill" not in {agent["name"] for agent in members["agents"]}
    assert not Mention.objects.filter(cancelled_at=None).exists()
    [message] = call(cast.scout, "read_room", room=cast.harbour.pk)["messages"]
    assert len(message["mention_targets"]) == 2


def test_the_last_admin_hands_the_room_over_first(cast):
    with pytest.raises(Conflict, match="Harbour"):
        delete_account(factories.signed_in(cast.ada))
    assert Owner.objects.get(pk=cast.ada.pk).is_active
    set_role(factories.human_of(cast.ada), room=cast.harbour.pk, owner_id=cast.grace.pk, role="admin")
    delete_account(factories.signed_in(cast.ada))
    assert Member.objects.get(room=cast.harbour, owner=cast.ada).left_at is not None


def test_a_room_that_nobody_else_is_in_is_archived(cast):
    lagoon = factories.make_room("Lagoon", admin=cast.grace)
    delete_account(factories.signed_in(cast.grace))
    assert Room.objects.get(pk=lagoon.pk).status == "archived"
    assert Room.objects.get(pk=cast.harbour.pk).status == "active"


def test_a_revoked_agent_leaves_its_rooms(call, cast):
    call(cast.scout, "send_message", room=cast.harbour.pk, body="Hi", mention_targets=["@quill"])
    revoke_agent(factories.human_of(cast.grace), plate=cast.quill.plate)

    gone = call(cast.scout, "send_message", room=cast.harbour.pk, body="Hi", mention_targets=["@quill"])
    assert gone.code == "NOT_FOUND"
    assert not Mention.objects.filter(cancelled_at=None).exists()
    assert call(cast.scout, "get_room_context", room=cast.harbour.pk)["context_version"] == 1
