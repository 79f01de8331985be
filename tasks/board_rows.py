"""The statements behind the board: each one statement, and so one snapshot, of indexed reads only."""

from __future__ import annotations

from collections.abc import Sequence
from datetime import datetime
from typing import Any

from django.db.models import DateTimeField, F, FilteredRelation, Q, QuerySet, Value

from agentroom.core.clock import DbNow, shift
from agentroom.core.limits import NO_PROGRESS, STALE_TODO
from agentroom.core.prepared import Prepared
from identity.actors import Actor, AgentActor
from rooms.access import rooms_of, rooms_of_agent, rooms_of_person
from rooms.models import Room
from tasks.lifecycle import IN_LANES, OPEN, Status
from tasks.models import Task

FINISHED = (Status.DONE.value, Status.CANCELLED.value)
FINISHED_SHOWN = 20

_FIELDS = (
    "pk",
    "title",
    "status",
    "order",
    "reason",
    "fence",
    "revision",
    "consent",
    "assignee_id",
    "assignee__plate",
    "assignee__name",
    "assignee__owner__handle",
    "holder_instance",
    "locked_at",
    "lease_expires_at",
    "progress_at",
    "ready_since",
    "finished_at",
)
_TIMED = ("pk", "status", "assignee_id", "lease_expires_at", "progress_at", "ready_since")
_EDGE = ("dependencies__position", "dependencies__prerequisite_id", "dependencies__prerequisite__status")

NOTHING = Value(None, output_field=DateTimeField())
Rooms = QuerySet[Room]
# Of the room: its version and, in one row, the clock; then the columns of a task and of one of its edges.
BoardRow = tuple[Any, ...]


def board_rows(actor: Actor, room_id: str, plate: str | None) -> list[BoardRow]:
    """Everything in the lanes and the first page of what was finished, by `plate` where one is named."""
    if plate is not None:
        return list(_whole_board(rooms_of(actor), room_id, shift(), plate))
    if isinstance(actor, AgentActor):
        return _AGENT_S_BOARD.rows(agent_id=actor.agent_id, room_id=room_id, shift=shift())
    return _PERSON_S_BOARD.rows(owner_id=actor.owner_id, room_id=room_id, shift=shift())


def finished_rows(
    actor: Actor, room_id: str, before: tuple[datetime, str] | None, statuses: Sequence[str], plate: str | None
) -> list[BoardRow]:
    """A page of what was finished behind (`finished_at`, id) `before`."""
    page = _finished(room_id, statuses, plate)
    if before is not None:
        at, task_id = before
        page = page.filter(Q(finished_at__lt=at) | Q(finished_at=at, pk__lt=task_id))
    rooms = rooms_of(actor)
    return list(_room(rooms, room_id, shift()).union(_page(rooms, room_id, page), all=True))


def glance_rows(actor: Actor, room_id: str) -> list[BoardRow]:
    """The version, and the timed columns of each task that may be stale although nothing of it has changed."""
    if isinstance(actor, AgentActor):
        return _AGENT_S_GLANCE.rows(agent_id=actor.agent_id, room_id=room_id, shift=shift())
    return _PERSON_S_GLANCE.rows(owner_id=actor.owner_id, room_id=room_id, shift=shift())


def _whole_board(rooms: Rooms, room_id: str, shift: str, plate: str | None = None) -> Any:
    """Joined, not one condition with OR: each part has an index of its own, and history costs the board nothing."""
    at_home = FilteredRelation("tasks__assignee__memberships", condition=Q(tasks__assignee__memberships__room=room_id))
    in_lanes = rooms.filter(pk=room_id, tasks__archived_at=None, tasks__status__in=sorted(IN_LANES))
    in_lanes = in_lanes.annotate(place=at_home, left_at=F("place__left_at"))
    finished = _page(rooms, room_id, _finished(room_id, FINISHED, plate))
    return _room(rooms, room_id, shift).union(_tasks(in_lanes), finished, all=True)


def _finished(room_id: str, statuses: Sequence[str], plate: str | None) -> Any:
    finished = Task.objects.filter(room_id=room_id, archived_at=None, finished_at__isnull=False, status__in=statuses)
    if plate is not None:
        finished = finished.filter(assignee__plate=plate)
    return finished.order_by("-finished_at", "-pk").values("pk")


def _page(rooms: Rooms, room_id: str, finished: Any) -> Any:
    """The first of these tasks, and one more that tells whether there are others."""
    # One join more, to ask who has left, and PostgreSQL (join_collapse_limit) would read all tasks to find these few.
    page = rooms.filter(pk=room_id, tasks__pk__in=finished[: FINISHED_SHOWN + 1])
    return _tasks(page.annotate(left_at=NOTHING))


def _room(rooms: Rooms, room_id: str, shift: str) -> Any:
    """The room's version and the clock, without a task."""
    card = FilteredRelation("tasks", condition=Q(tasks__pk=""))
    alone: Any = rooms.filter(pk=room_id).annotate(now=DbNow(shift=shift), card=card, left_at=NOTHING)
    fields, edge = ([f"card__{name}" for name in names] for names in (_FIELDS, _EDGE))
    return alone.values_list("board_version", "now", *fields, "left_at", *edge)


def _tasks(rooms: Any) -> Any:
    """One row per task and edge. The clock is told once: two hundred readings of it would cost more than the rows."""
    silent = rooms.annotate(now=NOTHING)
    fields, edge = ([f"tasks__{name}" for name in names] for names in (_FIELDS, _EDGE))
    return silent.values_list("board_version", "now", *fields, "left_at", *edge)


def _glance(rooms: Rooms, room_id: str, shift: str) -> Any:
    """The room's version and the clock, with each task that time, or its agent's leaving, may have made stale."""
    ended = Q(tasks__lease_expires_at__lte=DbNow(shift=shift)) | Q(
        tasks__progress_at__lte=DbNow(NO_PROGRESS, shift=shift)
    )
    waiting = Q(tasks__assignee__isnull=False, tasks__ready_since__lte=DbNow(STALE_TODO, shift=shift))
    late = (Q(tasks__status=Status.DOING) & ended) | (Q(tasks__status=Status.TODO) & waiting)
    card = FilteredRelation("tasks", condition=Q(tasks__archived_at=None) & late)
    told: Any = rooms.filter(pk=room_id).annotate(now=DbNow(shift=shift))
    columns = ("board_version", "now")
    in_time = told.annotate(card=card).values_list(*columns, *(f"card__{name}" for name in _TIMED))
    left = told.filter(
        tasks__archived_at=None,
        tasks__status__in=sorted(OPEN),
        tasks__assignee__memberships__room_id=room_id,
        tasks__assignee__memberships__left_at__isnull=False,
    )
    return in_time.union(left.values_list(*columns, *(f"tasks__{name}" for name in _TIMED)), all=True)


_AGENT_S_BOARD = Prepared(lambda agent_id, room_id, shift: _whole_board(rooms_of_agent(agent_id), room_id, shift))
_PERSON_S_BOARD = Prepared(lambda owner_id, room_id, shift: _whole_board(rooms_of_person(owner_id), room_id, shift))
_AGENT_S_GLANCE = Prepared(lambda agent_id, room_id, shift: _glance(rooms_of_agent(agent_id), room_id, shift))
_PERSON_S_GLANCE = Prepared(lambda owner_id, room_id, shift: _glance(rooms_of_person(owner_id), room_id, shift))
