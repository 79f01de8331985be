"""A task as its page shows it, and what the person who looks may do with it."""

from __future__ import annotations

from dataclasses import dataclass
from datetime import datetime
from typing import Any

from agentroom.board.markdown import rendered
from agentroom.board.people import names_of
from agentroom.board.seat import Seat
from agentroom.board.words import deed, stale_sentence
from agentroom.core.errors import NotFound
from agentroom.core.models import AuditRow
from identity.models import Agent
from rooms.policies import may_put_to_work
from rooms.roster import agents_in
from tasks.access import PEOPLE
from tasks.board import contacts_in
from tasks.lifecycle import CLOSED, Status, Verb, Who, find
from tasks.models import Task
from tasks.policies import roles
from tasks.projection import NOBODY, Staleness, staleness

HISTORY = 50


@dataclass(frozen=True, slots=True)
class Choice:
    """An agent the task can be given to, or why not."""

    agent: Agent
    is_present: bool
    allowed: bool


@dataclass(frozen=True, slots=True)
class Line:
    """One line of the task's history."""

    at: datetime
    who: str
    did: str


@dataclass(frozen=True, slots=True)
class Detail:
    task: Task
    stale: Staleness | None
    says: str
    may: dict[str, bool]
    choices: list[Choice]
    prerequisites: list[Any]
    dependents: list[Any]
    records: list[Any]
    history: list[Line]
    detail_html: str


def task_in(seat: Seat, task_id: str) -> Task:
    task = Task.objects.select_related(*PEOPLE).filter(room=seat.room, pk=task_id).first()
    if task is None:
        raise NotFound("This room has no such task.")
    return task


def detail_of(seat: Seat, task_id: str) -> Detail:
    task = task_in(seat, task_id)
    stale = _stale(seat, task)
    name = task.assignee.name if task.assignee else ""
    return Detail(
        task=task,
        stale=stale,
        says=stale_sentence(stale.reason, name) if stale else "",
        may=_may(seat, task),
        choices=_choices(seat, task) if seat.administers and task.status not in {Status.DONE, Status.CANCELLED} else [],
        prerequisites=list(task.dependencies.select_related("prerequisite").order_by("position", "pk")),
        dependents=list(task.dependents.select_related("task").order_by("pk")),
        records=list(task.records.select_related("agent__owner").order_by("-pk")),
        history=_history(seat, task),
        detail_html=rendered(task.detail) if task.detail else "",
    )


def _may(seat: Seat, task: Task) -> dict[str, bool]:
    """Which buttons to show, asked of the one table of moves. The operations decide."""
    mine = roles(seat.actor, seat.standing, task)
    release = find(task.status, Status.TODO, Verb.FORCE_RELEASE)
    reopen = find(task.status, Status.TODO, Verb.SET_STATUS)
    cancel = find(task.status, Status.CANCELLED, Verb.SET_STATUS)
    is_put_away = task.archived_at is not None
    return {
        "release": bool(release and release.who & mine),
        "reopen": bool(reopen and reopen.who & mine) and not is_put_away,
        "cancel": bool(cancel and cancel.who & mine),
        "archive": task.status in CLOSED and not is_put_away and bool(mine & {Who.CREATOR, Who.HUMAN}),
        "unarchive": is_put_away and Who.HUMAN in mine,
        "edit": task.status not in CLOSED and bool(mine & {Who.CREATOR, Who.HUMAN}),
    }


def _choices(seat: Seat, task: Task) -> list[Choice]:
    return [
        Choice(
            agent,
            is_present=agent.pk == task.assignee_id,
            allowed=may_put_to_work(seat.room.pk, from_owner_id=seat.actor.owner_id, agent=agent),
        )
        for agent in sorted(agents_in(seat.room), key=lambda agent: agent.name_key)
    ]


def _stale(seat: Seat, task: Task) -> Staleness | None:
    if task.assignee_id is None:
        return None
    contact = contacts_in(seat.room.pk).get(task.assignee_id, NOBODY)
    return staleness(task, seat.standing.now, contact)


def _history(seat: Seat, task: Task) -> list[Line]:
    rows = AuditRow.objects.filter(chain=seat.room.pk, record_kind="task", record_id=task.pk).order_by("-seq")[:HISTORY]
    names = names_of({row.actor_key for row in rows})
    return [Line(row.at, names.get(row.actor_key, "the server"), deed(row.act, row.before, row.after)) for row in rows]
