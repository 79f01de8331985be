"""What the database itself refuses, whoever writes: unlisted moves, fences that fall or leap, half a lock (I-03)."""

from __future__ import annotations

from pathlib import Path

import pytest
from django.db import DatabaseError, IntegrityError, transaction
from django.db.models import F

from tasks import diagram
from tasks.models import Dependency, Task, TaskRecord
from tests import factories

# Here rows are written past the operations, so their histories tell half a story.
pytestmark = pytest.mark.damages

# From 00-product.md, "Task statuses".
LEGAL = {
    "todo": {"doing", "blocked", "cancelled"},
    "doing": {"done", "blocked", "failed", "cancelled", "todo"},
    "blocked": {"doing", "failed", "cancelled", "todo"},
    "failed": {"todo"},
    "cancelled": {"todo"},
    "done": set(),
}
PAIRS = [(source, target) for source in LEGAL for target in LEGAL if source != target]


def columns_of(task):
    """The columns a task in its status must have, so that only the move itself can be refused."""
    names = ("status", "holder_instance", "locked_at", "lease_expires_at", "finished_at")
    return {name: getattr(task, name) for name in names}


@pytest.mark.parametrize(("source", "target"), PAIRS)
def test_the_database_lets_exactly_the_listed_moves_pass(harbour, scout, source, target):
    task = factories.make_task(harbour, creator=scout, assignee=scout, status=source)
    Task.objects.filter(pk=task.pk, fence=0).update(fence=1)
    wanted = columns_of(factories.make_task(harbour, creator=scout, assignee=scout, status=target))

    def move():
        with transaction.atomic():
            Task.objects.filter(pk=task.pk).update(**wanted)

    if target in LEGAL[source]:
        move()
    else:
        with pytest.raises(DatabaseError, match="legal moves"):
            move()
    assert Task.objects.get(pk=task.pk).status == (target if target in LEGAL[source] else source)


@pytest.mark.parametrize("step", [-1, 2])
def test_the_fence_neither_falls_nor_leaps(held, step):
    with pytest.raises(DatabaseError, match="legal moves"), transaction.atomic():
        Task.objects.filter(pk=held.pk).update(fence=F("fence") + step)


def test_the_fence_may_grow_by_one(held):
    assert Task.objects.filter(pk=held.pk).update(fence=F("fence") + 1) == 1


@pytest.mark.parametrize(
    "fields",
    [
        {"holder_instance": ""},
        {"lease_expires_at": None},
        {"locked_at": None},
        {"assignee": None},
        {"finished_at": F("locked_at")},
        {"archived_at": F("locked_at")},
        {"creator_agent": None},
    ],
)
def test_half_a_lock_and_half_an_end_are_refused(held, fields):
    with pytest.raises(IntegrityError), transaction.atomic():
        Task.objects.filter(pk=held.pk).update(**fields)


def test_done_has_one_record_and_it_has_notes(harbour, scout):
    done = factories.make_task(harbour, creator=scout, assignee=scout, status="done")
    record = TaskRecord.objects.get(task=done)

    with pytest.raises(IntegrityError), transaction.atomic():
        TaskRecord.objects.filter(pk=record.pk).update(handoff_notes="")
    record.pk = None
    with pytest.raises(IntegrityError), transaction.atomic():
        record.save(force_insert=True)


def test_a_task_does_not_depend_on_itself(task):
    with pytest.raises(IntegrityError), transaction.atomic():
        Dependency.objects.create(task=task, prerequisite=task)


def test_the_page_on_the_life_of_a_task_is_made_from_the_table():
    page = Path(__file__).parents[2] / "docs" / "task-lifecycle.md"

    assert page.read_text(encoding="utf-8") == diagram.page(), "run: python -m tasks.diagram > docs/task-lifecycle.md"
