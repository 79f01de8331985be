"""One room twice: in the product and in the model. Every act is done to both, and every surface compared."""

from __future__ import annotations

import copy
from collections.abc import Callable, Sequence
from contextlib import ExitStack
from dataclasses import dataclass
from datetime import timedelta
from typing import Any

from django.db import transaction

from agentroom.core.clock import db_now, shifted
from agentroom.core.errors import PublicError
from identity.models import Instance
from rooms.operations.messages import send_message
from tests import factories
from tests.tasks.model import surfaces
from tests.tasks.model.room import OWNERS, Refused, Room, Task

Who = tuple[str, str | None]
AGENTS: list[Who] = [(name, instance) for name in sorted(OWNERS) for instance in ("a", "b")]
PEOPLE: list[Who] = [("ada", None), ("grace", None)]
ANYBODY = AGENTS + PEOPLE

Wanted = Callable[[Room, Who, Task, int | None], Any]
Done = Callable[[Any, str, dict[str, int]], Any]


@dataclass(frozen=True)
class How:
    """Who acts on which task.

    In a `fit` manner the nearest task and member of `crowd` where it succeeds; in a `late` one somebody who has held
    the nearest task that was ever held; else these very ones, naming a fence as far from the present one as `fence`
    says.
    """

    name: str
    who: Who
    crowd: Sequence[Who]
    manner: str
    fence: int | None


class World:
    """Two owners, three agents with two instances each, a room; all of it gone at `close`."""

    def __init__(self) -> None:
        self.exit = ExitStack()
        # Each history has a savepoint of its own; to the operations it looks like the test's own transaction.
        block = transaction.atomic()
        block._from_testcase = True
        self.exit.enter_context(block)
        self.model, self.ids, self.names = Room(), {}, {}
        self.versions: dict[str, int] = {}
        self.turn, self.changed = 0, True
        self.owners = {name: factories.make_owner(name) for name in ("ada", "grace")}
        self.agents = {name: factories.make_agent(self.owners[owner], name) for name, owner in OWNERS.items()}
        self.room = factories.make_room("Harbour", admin=self.owners["ada"])
        factories.make_member(self.room, self.owners["grace"])
        for agent in self.agents.values():
            factories.make_member(self.room, agent)
        self.actors: dict[Who, Any] = {(name, None): factories.human_of(owner) for name, owner in self.owners.items()}
        for name, instance in AGENTS:
            self.actors[name, instance] = factories.actor_of(self.agents[name], instance_id=instance)

    def close(self) -> None:
        transaction.set_rollback(True)
        self.exit.close()

    def attempt(self, how: How, wanted: Wanted, done: Done) -> Any:
        """Act on a task: `wanted` on the model, `done` on the product; both must answer, or be refused, alike."""
        name, who, fence = how.name, how.who, how.fence
        if how.manner == "fit":
            name, who, fence = *(self._possible(how, wanted) or (name, who)), None
        elif how.manner == "late":
            name, who = self._held(how) or (name, who)
        task = self.model.tasks[name]
        named = None if fence is None or task.fence + fence < 0 else task.fence + fence
        argument = {} if named is None else {"fence": named}
        return self.both(
            lambda: wanted(self.model, who, task, named), lambda: done(self.actors[who], self.ids[name], argument)
        )

    def both(self, wanted: Callable[[], Any], done: Callable[[], Any]) -> Any:
        try:
            expected = wanted()
        except Refused as refused:
            expected = refused.args[0]
        try:
            answer = done()
            self.changed = True
        except PublicError as refused:
            answer = refused.code
        assert answer == expected
        return answer

    def trust(self, owner: str, on: bool) -> None:
        self.changed = True
        self.model.trust[owner] = on
        factories.set_trust(self.room, self.owners[owner], on)

    def call(self, agent: str) -> None:
        """Any call shows that the agent is there."""
        self.changed = True
        self.model.seen[agent] = self.model.now
        Instance.objects.filter(agent=self.agents[agent]).update(last_seen_at=db_now())

    def speak(self, who: Who) -> None:
        self.changed = True
        self.model.spoke[who[0]] = self.model.now
        send_message(self.actors[who], room=self.room.pk, body="Still here.")

    def wait(self, minutes: int) -> None:
        self.changed = True
        self.model.now += minutes
        self.exit.enter_context(shifted(timedelta(minutes=minutes)))

    def compare(self) -> None:
        """The rows always; every surface when something may have changed."""
        assert surfaces.rows(self.names) == surfaces.wanted_rows(self.model)
        if not self.changed:
            return
        self.changed = False
        reader = self.actors["quill", "a"]
        aliases = {None: None, **{name: f"@{name}({owner})" for name, owner in OWNERS.items()}}
        assert surfaces.board(reader, self.room.pk, self.names) == surfaces.wanted_board(self.model, "quill", aliases)
        assert surfaces.late(reader, self.room, self.names) == surfaces.wanted_late(self.model)
        assert surfaces.rings(self.agents, self.names) == self.model.rings
        # An agent asks for what has changed since it last looked; one of them at each step.
        self.turn = (self.turn + 1) % len(OWNERS)
        name = sorted(OWNERS)[self.turn]
        since = self.versions.get(name)
        self.versions[name], mine = surfaces.context(self.actors[name, "a"], self.room.pk, self.names, since)
        assert mine is None or mine == surfaces.wanted_context(self.model, name)
        assert mine is not None or since == self.versions[name]

    def _possible(self, how: How, wanted: Wanted) -> tuple[str, Who] | None:
        """The first task from the drawn one on, and the first of the crowd from the drawn one on, where it succeeds."""
        names = sorted(self.model.tasks)
        for name in _from(names, how.name):
            for who in _from(how.crowd, how.who):
                model = copy.deepcopy(self.model)
                try:
                    answer = wanted(model, who, model.tasks[name], None)
                except Refused:
                    continue
                if answer in (None, "claimed") or isinstance(answer, list):
                    return name, who
        return None

    def _held(self, how: How) -> tuple[str, Who] | None:
        for name in _from(sorted(self.model.tasks), how.name):
            for _, agent, instance in self.model.tasks[name].holds:
                if (agent, instance) in how.crowd:
                    return name, (agent, instance)
        return None


def _from(things: Sequence[Any], first: Any) -> list[Any]:
    start = things.index(first)
    return [*things[start:], *things[:start]]
