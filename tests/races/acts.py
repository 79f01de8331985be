"""One call of every tool that changes something, each time on records of its own."""

from __future__ import annotations

from collections.abc import Callable
from typing import Any

from agentroom.core.contract import Tool, registry
from agentroom.gateway import dispatch
from identity.actors import AgentActor
from rooms.inputs import MentionTarget
from rooms.operations.messages import send_message
from tests import factories
from tests.conftest import Cast

NOTES = "Two coats.\r\n\tWait a day.\u202b שלום \u202c"

Arguments = dict[str, Any]
Make = Callable[["Ground"], Arguments]


class Ground:
    """A room with its cast, and fresh records in it on demand. `scout` acts, as instance `main`."""

    def __init__(self, cast: Cast) -> None:
        self.cast, self.room = cast, str(cast.harbour.pk)
        self.actor: AgentActor = factories.actor_of(cast.scout)
        self._people = factories.human_of(cast.ada)
        factories.actor_of(cast.forge)

    def task(self, status: str = "todo") -> str:
        """A task of scout's in that status; forge waits for it with one of its own."""
        task = factories.make_task(self.cast.harbour, creator=self.cast.scout, assignee=self.cast.scout, status=status)
        if status != "done":
            fields = {"creator": self.cast.scout, "assignee": self.cast.forge, "depends_on": [task]}
            factories.make_task(self.cast.harbour, "Paint the name", **fields)
        return str(task.pk)

    def mention(self) -> str:
        targets = [MentionTarget(plate=self.cast.scout.plate)]
        return send_message(self._people, room=self.room, body="Look", mention_targets=targets).deliveries[0].mention_id

    def trusting(self) -> str:
        factories.set_trust(self.cast.harbour, self.cast.ada)
        return self.room

    def call(self, tool: str, arguments: Arguments) -> dispatch.Reply:
        return dispatch.call(self.actor, tool, arguments, request_id="req_fault")


ACTS: dict[str, Make] = {
    "send_message": lambda on: {
        "room": on.room, "body": "Ahoy", "mention_targets": [{"plate": on.cast.forge.plate}], "task_id": on.task(),
    },
    "ack_mentions": lambda on: {"mention_ids": [on.mention()]},
    "set_room_consent": lambda on: {"room": on.trusting(), "mode": "blocked"},
    "create_task": lambda on: {
        "room": on.room, "title": "Sand", "definition_of_done": "Smooth.", "assignee": on.cast.forge.plate,
        "depends_on": [on.task("done")],
    },
    "claim_task": lambda on: {"task_id": on.task()},
    "complete_task": lambda on: {
        "task_id": on.task("doing"), "status": "done", "summary": "Did it.", "handoff_notes": NOTES,
        "ack_ids": [on.mention()],
    },
    "renew_lease": lambda on: {"task_id": on.task("doing"), "fence": 1},
    "release_task": lambda on: {"task_id": on.task("doing"), "fence": 1},
    "set_status": lambda on: {"task_id": on.task("doing"), "status": "blocked", "reason": "No paint."},
    "update_task": lambda on: {"task_id": on.task(), "title": "Paint it twice"},
    "archive_task": lambda on: {"task_id": on.task("done")},
}  # fmt: skip

# They refuse whatever they are given.
NEVER = {"accept_task", "reject_task"}


def changing() -> list[Tool]:
    return [tool for tool in registry.tools() if not tool.read_only and tool.name not in NEVER]


def keyed() -> list[str]:
    return sorted(tool.name for tool in changing() if "idempotency_key" in tool.input.model_fields)
