"""Searches the tasks of a room, newest first: title, definition of done, detail and what was reported."""

from __future__ import annotations

import re

from django.db import connection
from django.db.models import Exists, OuterRef, Q

from agentroom.core import search
from agentroom.core.errors import Validation
from agentroom.core.ids import ULID_LENGTH
from agentroom.core.search import Found, Hit
from rooms.search_kinds import around
from tasks.models import Task, TaskRecord

FIELDS = ("title", "definition_of_done", "detail")


def _tasks(room_id: str, query: str, after: str | None, limit: int) -> Found:
    """Tasks older than `after` that hold the query, whatever its case."""
    if after is not None and len(after) != ULID_LENGTH:
        raise Validation("after must be the `next` of an earlier page.", fields={"after": "not from this search"})
    tasks = Task.objects.filter(room_id=room_id)
    tasks = tasks.filter(pk__lt=after) if after else tasks
    reported = TaskRecord.objects.filter(_holding("summary", query), task_id=OuterRef("pk"))
    condition = Q(Exists(reported))
    for name in FIELDS:
        condition |= _holding(name, query)
    rows = list(tasks.filter(condition).order_by("-pk")[: limit + 1])
    hits = [_hit(task, query) for task in rows[:limit]]
    return Found(hits, hits[-1].cursor if hits and len(rows) > limit else None)


def _holding(field: str, query: str) -> Q:
    # SQLite's LIKE knows only ASCII case; its regular expressions are Python's and know all of it.
    is_plain = connection.vendor != "sqlite" or query.isascii()
    return Q(**{f"{field}__icontains": query}) if is_plain else Q(**{f"{field}__iregex": re.escape(query)})


def _hit(task: Task, query: str) -> Hit:
    text = next((text for text in (task.detail, task.definition_of_done) if query.lower() in text.lower()), task.title)
    return Hit(ref=task.pk, cursor=task.pk, title=task.title, excerpt=around(text, query), at=task.created_at)


search.register("task", _tasks, place=0)
