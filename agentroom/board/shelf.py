"""Work that is over: done, failed, cancelled, and what was archived; newest first, paged by when it ended."""

from __future__ import annotations

from dataclasses import dataclass
from datetime import datetime
from typing import Any

from django.db.models import OuterRef, Q, Subquery

from agentroom.core.limits import PAGE
from rooms.models import Room
from tasks.lifecycle import Status
from tasks.models import Task, TaskRecord

ENDED = (Status.DONE, Status.CANCELLED, Status.FAILED)
COLUMNS = ("id", "title", "status", "reason", "finished_at", "assignee__name", "assignee__owner__handle", "summary")


@dataclass(frozen=True, slots=True)
class Shelf:
    tasks: list[Any]
    archived: bool
    next: str | None


def shelf_of(room: Room, *, before: str = "", archived: bool = False) -> Shelf:
    """`before` is the `next` of the page above."""
    latest = TaskRecord.objects.filter(task=OuterRef("pk")).order_by("-pk").values("summary")[:1]
    rows = Task.objects.filter(room=room, status__in=ENDED, archived_at__isnull=not archived)
    rows = _earlier(rows, before).annotate(summary=Subquery(latest)).order_by("-finished_at", "-pk")
    found = list(rows.values_list(*COLUMNS, named=True)[: PAGE + 1])
    last = found[PAGE - 1] if len(found) > PAGE else None
    return Shelf(found[:PAGE], archived, f"{last.finished_at.isoformat()}~{last.id}" if last else None)


def _earlier(rows: Any, before: str) -> Any:
    stamp, _, task_id = before.partition("~")
    try:
        at = datetime.fromisoformat(stamp)
    except ValueError:
        return rows
    return rows.filter(Q(finished_at__lt=at) | Q(finished_at=at, pk__lt=task_id)) if at.tzinfo else rows
