"""Owners who know nothing of each other, each with a room and agents of the same names, and random lives of theirs."""

from __future__ import annotations

import random
import re
from dataclasses import dataclass, field
from typing import Any

from agentroom.core.ids import ulid
from identity.models import Agent, Owner
from rooms.models import Room
from tests import factories
from tests.clients import Answer, McpClient, RestClient

# Ids, plates, instants, and digests: what may differ between two runs of one history.
NAMES = re.compile(
    r"(?:[a-z]+_)?[0-9A-HJKMNP-TV-Z]{26}\b|ses_[0-9a-f]{24}|BRNL-AGT-[0-9A-Z]{8}"
    r"|\d{4}-\d\d-\d\dT[0-9:.]+(?:Z|\+00:00)|\b\d\d:\d\d UTC|\b[0-9a-f]{64}\b"
)
TIMES = re.compile(r"\d{4}-|\d\d:\d\d UTC")


@dataclass
class Tenant:
    """One owner, two agents, one room; `known` are the ids its acts have brought forth."""

    owner: Owner
    agents: list[Agent]
    room: Room
    clients: list[McpClient | RestClient]
    known: dict[str, list[str]] = field(default_factory=lambda: {"task": [], "message": [], "mention": []})

    @classmethod
    def called(cls, name: str) -> Tenant:
        owner = factories.make_owner(name)
        agents = [factories.make_agent(owner, agent) for agent in ("scout", "forge")]
        room = factories.make_room("Harbour", admin=owner)
        for agent in agents:
            factories.make_member(room, agent)
        doors = (RestClient, McpClient)
        return cls(owner, agents, room, [door(factories.token_for(a)) for door, a in zip(doors, agents, strict=True)])


class Life:
    """Draws acts and does them. The same seed draws the same acts, whoever else is about."""

    def __init__(self, tenant: Tenant, seed: str) -> None:
        self.tenant, self._chance = tenant, random.Random(seed)

    def act(self) -> Answer:
        who = self._chance.randrange(2)
        tool, arguments = self._drawn(self.tenant.agents[1 - who])
        answer = self.tenant.clients[who].call(tool, **arguments)
        self._learn(answer)
        return answer

    def looks(self) -> list[Answer]:
        """All that an agent can see, by its own eyes."""
        room = self.tenant.room.pk
        reads: list[tuple[str, dict[str, Any]]] = [
            ("whoami", {}),
            ("list_rooms", {}),
            *[(tool, {"room": room}) for tool in ("read_room", "check_mentions", "read_board", "get_room_context")],
            *[(tool, {"room": room}) for tool in ("list_members", "list_instances")],
            *[("search_room", {"room": room, "query": word}) for word in ("tar", "hull")],
            ("resolve_handle", {"room": room, "handle": "@forge"}),
        ]
        return [client.call(tool, **arguments) for client in self.tenant.clients for tool, arguments in reads]

    def _drawn(self, other: Agent) -> tuple[str, dict[str, Any]]:
        chance, room = self._chance, self.tenant.room.pk
        task, rung, word = self._any("task"), self._any("mention"), chance.choice(["tar", "hull"])
        text = f"{word} {chance.random()}"
        ring = ["@forge"][: chance.randrange(2)]
        new = {"room": room, "title": text, "definition_of_done": "Dry."}
        done = {"task_id": task, "status": "done", "summary": "S", "handoff_notes": text}
        calls: list[tuple[str, dict[str, Any]]] = [
            ("send_message", {"room": room, "body": text, "mention_targets": ring}),
            ("send_message", {"room": room, "body": word, "parent_id": self._any("message"), "task_id": task}),
            ("create_task", new),
            ("create_task", {**new, "assignee": other.plate, "depends_on": [task]}),
            *[("claim_task", {"task_id": task})] * 4,
            *[("complete_task", done)] * 4,
            ("set_status", {"task_id": task, "status": chance.choice(["blocked", "todo", "failed"]), "reason": "R"}),
            ("release_task", {"task_id": task}),
            ("update_task", {"task_id": task, "title": text}),
            ("archive_task", {"task_id": task}),
            ("ack_mentions", {"mention_ids": [rung]}),
            ("set_room_consent", {"room": room, "mode": "blocked"}),
        ]
        return chance.choice(calls)

    def _any(self, kind: str) -> str:
        """One of the last two it knows; while it knows none, an id that nobody made."""
        known, place = self.tenant.known[kind][-2:], self._chance.random()
        return known[int(place * len(known))] if known else ulid()

    def _learn(self, answer: Answer) -> None:
        found = answer.data
        self.tenant.known["task"] += [found["task_id"]] if "title" in found else []
        self.tenant.known["message"] += [found["message_id"]] if "message_id" in found else []
        rings = [delivery.get("mention_id") for delivery in found.get("deliveries", [])]
        self.tenant.known["mention"] += [ring for ring in rings if ring]


class Plain:
    """Answers without what may differ: each id and each instant by the order in which it was first shown."""

    def __init__(self) -> None:
        self._seen: dict[str, str] = {}

    def __call__(self, answer: Answer) -> str:
        shown = "\n".join(f"{name}: {value}" for name, value in sorted(answer.headers.items()) if name != "date")
        # Two instants may coincide in one run and not in the other, so an instant has no number.
        return NAMES.sub(self._name, f"{answer.status}\n{shown}\n{answer.raw.decode()}")

    def _name(self, found: re.Match[str]) -> str:
        text = found.group()
        return "<instant>" if TIMES.match(text) else self._seen.setdefault(text, f"<{len(self._seen)}>")
