"""A running server with the demo in it, and its agents as clients through either door."""

from __future__ import annotations

from dataclasses import dataclass
from typing import Any

from tests.clients import Answer, McpClient, RestClient
from tests.services.processes import Process, accepts
from tests.services.server import Server

DOORS = ("mcp", "rest")

NEW_ROOM = """
from identity.models import Agent
from tests.factories import human_of
from rooms.operations.members import add_agent
from rooms.operations.rooms import create_room
agents = [Agent.objects.get(plate=plate) for plate in {plates!r}]
admin = human_of(agents[0].owner)
room = create_room(admin, name="Quay").room
for agent in agents:
    add_agent(admin, room=room, plate=agent.plate)
print(room)
"""


@dataclass
class Place:
    """`first` and `second` are agents of the demo's first owner, both in the room."""

    server: Server
    room: str
    first: dict[str, Any]
    second: dict[str, Any]

    @classmethod
    def on(cls, server: Server) -> Place:
        demo = server.demo(*([] if server.env["AGENTROOM_PROFILE"] == "embedded" else ["--force"]))
        owner = demo["agents"][0]["owner"]
        first, second = [agent for agent in demo["agents"] if agent["owner"] == owner][:2]
        return cls(server, demo["rooms"][0]["id"], first, second)

    def client(self, door: str, agent: dict[str, Any] | None = None) -> McpClient | RestClient:
        who = agent or self.first
        if door == "rest":
            return RestClient(who["token"], base_url=self.server.url)
        return McpClient(who["token"], who["host"], base_url=self.server.url)

    def call(self, tool: str, /, **arguments: Any) -> Answer:
        answer = self.client("rest").call(tool, **arguments)
        assert answer.ok, answer.error
        return answer

    def messages(self) -> list[dict[str, Any]]:
        """All of the room, by following the cursor."""
        found: list[dict[str, Any]] = []
        while True:
            page = self.call("read_room", room=self.room, since_seq=found[-1]["seq"] if found else 0)["messages"]
            if not page:
                return found
            found += page

    def tasks(self) -> dict[str, dict[str, Any]]:
        """Every task of the room's board by its id, by following both cursors."""
        found: dict[str, dict[str, Any]] = {}
        after: str | None = ""
        while after is not None:
            page = self.call("read_board", room=self.room, **({"after": after} if after else {})).data
            rows = [task for lane in page.get("lanes", []) for task in lane["tasks"]] + page.get("done", [])
            found |= {task["task_id"]: task for task in rows}
            after = page.get("next") or page.get("done_next")
        return found

    def inbox(self, agent: dict[str, Any]) -> list[dict[str, Any]]:
        """What is open in the agent's inbox of this room, by following the cursor."""
        found: list[dict[str, Any]] = []
        while True:
            since = found[-1]["seq"] if found else 0
            page = self.client("rest", agent).call("check_mentions", room=self.room, since_seq=since)["mentions"]
            if not page:
                return found
            found += page

    def move_on(self) -> None:
        """From here on in a new room, with nothing in it but both agents."""
        code = NEW_ROOM.format(plates=[self.first["plate"], self.second["plate"]])
        self.room = self.server.manage("shell", "--no-imports", "-c", code).split()[-1]

    def kill(self) -> None:
        """kill -9 of what answers: the one process, or all web processes."""
        self._web.kill()

    def start(self) -> None:
        self._web.start().wait_until(lambda: accepts(self.server.port))

    @property
    def _web(self) -> Process:
        return next(self.server.processes[name] for name in ("serve", "web") if name in self.server.processes)

    def audit(self) -> None:
        assert self.server.manage("audit_invariants").strip().endswith("0 findings")
