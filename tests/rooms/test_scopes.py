"""A missing scope is refused before any work: no row, no side effect (invariant 2)."""

from __future__ import annotations

import pytest

from agentroom.core.contract import registry
from agentroom.core.models import AuditRow, IdempotentReceipt
from agentroom.core.scopes import ALL, Scope
from identity.models import Agent, Instance
from rooms.models import Mention, Message, Room
from tests import factories

OWN = [tool for tool in registry.tools() if tool.operation.__module__.startswith("rooms.")]
ARGUMENTS = {
    "send_message": {"body": "Hi", "mention_targets": ["@quill"], "idempotency_key": "k"},
    "ack_mentions": {"last_mention_seq": 1},
    "set_room_consent": {"mode": "blocked"},
    "resolve_handle": {"handle": "@quill"},
    "search_room": {"query": "x"},
    "accept_task": {"task_id": "0" * 26},
    "reject_task": {"task_id": "0" * 26},
}


@pytest.mark.parametrize("tool", OWN, ids=lambda tool: tool.name)
def test_without_its_scope_a_tool_does_nothing(tool, connect, cast):
    factories.set_trust(cast.harbour, cast.ada)
    Agent.objects.filter(pk=cast.scout.pk).update(scopes=int(ALL & ~tool.scope))
    client = connect(cast.scout)
    before = _state(cast)
    takes_room = "room" in tool.input.model_fields
    arguments = {**({"room": cast.harbour.pk} if takes_room else {}), **ARGUMENTS.get(tool.name, {})}

    refused = client.call(tool.name, **arguments)
    assert (refused.code, refused.status, refused.error["scope"]) == ("FORBIDDEN_SCOPE", 403, tool.scope.name)
    assert _state(cast) == before


def test_reading_tools_need_read_and_writing_tools_write():
    assert {tool.name for tool in OWN if tool.scope == Scope.WRITE} == {
        "accept_task",
        "ack_mentions",
        "reject_task",
        "send_message",
        "set_room_consent",
    }
    assert all(tool.read_only == (tool.scope == Scope.READ) for tool in OWN)


def _state(cast):
    tables = [model.objects.count() for model in (Message, Mention, AuditRow, IdempotentReceipt, Instance)]
    return tables, Room.objects.values().get(pk=cast.harbour.pk), list(cast.harbour.members.values())
