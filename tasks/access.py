"""The only way to load a task for a change: through its room, with the room's lock held."""

from __future__ import annotations

from collections.abc import Sequence
from dataclasses import dataclass
from datetime import datetime
from typing import Any, NoReturn

from django.db.models import Exists

from agentroom.core import replays
from agentroom.core.clock import db_now
from agentroom.core.errors import NotAMember, NotFound
from agentroom.core.prepared import Ask, Prepared
from identity.actors import Actor, AgentActor
from rooms.access import Standing, Way, locked_rooms, rooms_of, rooms_of_agent, standing_in
from rooms.models import Role, Room
from tasks.dependencies import Prerequisite, asking_prerequisites, open_edges, prerequisites_of
from tasks.models import Task

PEOPLE = ("assignee__owner", "creator_agent__owner", "creator_owner")


@dataclass(frozen=True, slots=True)
class Found:
    """A task, the caller's standing in its room, and what it depends on: all as of the room's lock."""

    task: Task
    standing: Standing
    prerequisites: tuple[Prerequisite, ...]

    @property
    def room(self) -> Room:
        return self.standing.room

    @property
    def now(self) -> datetime:
        """The database's clock under the lock."""
        return self.standing.now


def locked(actor: Actor, task_id: str) -> Found:
    """The task, for a change by `actor`. Raises the same `NotFound` for an absent and a foreign one."""
    # Under the lock: whatever was read before it may have been written since.
    along = (_TASK.asking(task_id=task_id), asking_prerequisites(task_id))
    standing = _standing(actor, task_id, lock=True, along=along)
    tasks, prerequisites = standing.read
    return Found(tasks[0] if tasks else refuse_unknown(), standing, prerequisites)


_TASK = Prepared(lambda task_id: Task.objects.filter(pk=task_id).select_related(*PEOPLE))
_BY_TASK = Way("tasks__pk")
_ROOM_OF = Prepared(lambda task_id: Task.objects.filter(pk=task_id).values_list("room_id"))


def locked_by_operator(task_id: str) -> Found:
    """The task, for an operator of the server, who needs no place in the room."""
    rooms = locked_rooms(tasks__pk=task_id)
    if not rooms:
        raise NotFound("There is no such task.")
    task = Task.objects.select_related(*PEOPLE).get(pk=task_id)
    return Found(task, Standing(rooms[0], Role.ADMIN, is_human=True, now=db_now()), prerequisites_of(task_id))


def seen(actor: AgentActor, task_id: str) -> Any:
    """The task with its room and whether it waits (`is_waiting`), in one read without a lock.

    For what one guarded UPDATE decides, and for what needs no deciding. Raises the same `NotFound` as `locked`.
    """
    return _SEEN.first(task_id=task_id, agent_id=actor.agent_id) or refuse_unknown()


_SEEN = Prepared(
    lambda task_id, agent_id: (
        Task.objects.filter(pk=task_id, room__in=rooms_of_agent(agent_id))
        .select_related("assignee", "room")
        .annotate(is_waiting=Exists(open_edges()))
    )
)


def require_visible(actor: Actor, task_id: str) -> None:
    """Raise `NotFound` unless the task is in a room of the caller."""
    if not rooms_of(actor).filter(tasks__pk=task_id).exists():
        refuse_unknown()


replays.register("task_id", require_visible)


def standing_at(actor: Actor, task_id: str) -> Standing:
    """The caller's standing in the task's room, without a lock; for a write that one guarded UPDATE makes."""
    return _standing(actor, task_id, lock=False)


def room_of(task_id: str) -> str | None:
    """The room of a task, for whoever must know it before anything is checked."""
    row = _ROOM_OF.first_row(task_id=task_id)
    return None if row is None else str(row[0])


def _standing(actor: Actor, task_id: str, *, lock: bool, along: Sequence[Ask] = ()) -> Standing:
    try:
        return standing_in(actor, task_id, lock=lock, writing=True, along=along, way=_BY_TASK)
    except (NotFound, NotAMember):
        refuse_unknown()


def refuse_unknown() -> NoReturn:
    raise NotFound("No such task, or it is in a room you are not in. `read_board` shows the tasks of a room.") from None
