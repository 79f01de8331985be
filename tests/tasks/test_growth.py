"""History must not cost: with thousands of finished tasks the hot reads still touch what they touched before."""

from __future__ import annotations

import json
from collections.abc import Callable
from typing import Any

import pytest
from django.db import connection
from django.test.utils import CaptureQueriesContext

from agentroom.core.clock import db_now
from tasks.models import Task
from tasks.operations.claim import claim_task
from tasks.queries.board import read_board
from tests import factories

pytestmark = pytest.mark.django_db(transaction=True)

HISTORY = 2000


def finished(room, agent, *, archived):
    """Long finished tasks, as a copy from elsewhere would bring them."""
    now = db_now()
    Task.objects.bulk_create(
        Task(
            room=room,
            title=f"Old {number}",
            definition_of_done="Done.",
            status="done",
            assignee=agent,
            creator_agent=agent,
            fence=1,
            created_at=now,
            updated_at=now,
            finished_at=now.replace(microsecond=number),
            archived_at=now if archived else None,
        )
        for number in range(HISTORY)
    )
    with connection.cursor() as cursor:
        cursor.execute("ANALYZE")


def touched(read: Callable[[], Any]) -> list[int]:
    """For each statement of `read`: pages it touched; on SQLite, how often it reads all of `tasks_task`."""
    with CaptureQueriesContext(connection) as queries:
        read()
    reads = [query["sql"] for query in queries if query["sql"].startswith(("SELECT", "("))]
    return [_pages(sql) if connection.vendor == "postgresql" else _scans(sql) for sql in reads]


def _pages(sql: str) -> int:
    with connection.cursor() as cursor:
        cursor.execute(f"EXPLAIN (ANALYZE, BUFFERS, FORMAT JSON) {sql}")
        plan = cursor.fetchone()[0]
    plan = plan if isinstance(plan, list) else json.loads(plan)
    return plan[0]["Plan"]["Shared Hit Blocks"] + plan[0]["Plan"]["Shared Read Blocks"]


def _scans(sql: str) -> int:
    with connection.cursor() as cursor:
        cursor.execute(f"EXPLAIN QUERY PLAN {sql}")
        steps = [row[3] for row in cursor.fetchall()]
    return sum(step.startswith("SCAN") and "INDEX" not in step and "tasks_task" in step for step in steps)


@pytest.mark.parametrize("archived", [True, False], ids=["archived", "on the board"])
def test_finished_tasks_cost_the_board_and_a_claim_nothing(cast, archived):
    actor = factories.actor_of(cast.scout)
    for number in range(30):
        factories.make_task(cast.harbour, f"Task {number}", creator=cast.scout, assignee=cast.forge)
    task = factories.make_task(cast.harbour, creator=cast.scout, assignee=cast.forge)
    reads = {
        "board": lambda: read_board(actor, room=cast.harbour.pk),
        "not modified": lambda: read_board(actor, room=cast.harbour.pk, since_version=0),
        "lost claim": lambda: claim_task(actor, task_id=task.pk),
    }
    # Enough of both kinds to begin with that reading a whole table is no longer the cheapest plan.
    for is_archived in (True, False):
        finished(cast.harbour, cast.scout, archived=is_archived)
    before = {name: touched(read) for name, read in reads.items()}

    for _ in range(3):
        finished(cast.harbour, cast.scout, archived=archived)

    # An index may be one level deeper, for each of the twenty-one rows looked up in it.
    allowance = 30 if connection.vendor == "postgresql" else 0
    for name, read in reads.items():
        after = touched(read)
        assert len(after) == len(before[name]), name
        assert sum(after) <= sum(before[name]) * 1.1 + allowance, (name, before[name], after)
