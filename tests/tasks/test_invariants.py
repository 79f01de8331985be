"""The audit finds each kind of damage, and nothing in a database that only operations have written."""

from __future__ import annotations

import pytest

from agentroom.core import invariants
from agentroom.core.clock import db_now
from agentroom.core.models import Revision
from identity.actors import SystemActor
from rooms.inbox import ring
from rooms.models import MentionKind
from tasks.models import Dependency, Task, TaskHold, TaskRecord
from tasks.operations.assign import assign_task
from tasks.operations.claim import claim_task
from tasks.operations.complete import complete_task
from tasks.operations.create import create_task
from tasks.operations.release import release_task
from tasks.operations.status import set_status
from tests import factories

pytestmark = pytest.mark.damages


def findings():
    return [(name[:4], finding) for name, finding in invariants.findings()]


def test_a_history_made_by_operations_is_clean(as_agent, as_person, harbour, scout, forge, ada):
    def make(**fields):
        return create_task(as_agent(scout), room=harbour.pk, title="T", definition_of_done="D", **fields).task_id

    first = make(assignee=forge.plate)
    second = make(assignee=scout.plate, depends_on=[first])
    claim_task(as_agent(forge), task_id=first)
    release_task(as_agent(forge), task_id=first)
    claim_task(as_agent(forge), task_id=first)
    complete_task(as_agent(forge), task_id=first, status="done", summary="Did it.", handoff_notes="Shed.")
    claim_task(as_agent(scout), task_id=second)
    set_status(as_agent(scout), task_id=second, status="failed", reason="It sank.")
    set_status(as_person(ada), task_id=second, status="todo")
    assign_task(as_person(ada), task_id=second, assignee=forge.plate)

    assert findings() == []


def test_a_holder_that_never_took_the_lock_is_found(held):
    TaskHold.objects.filter(task=held).update(instance="another")

    assert findings() == [("I-01", f"task {held.pk}: its holder is not the last one that took it")]


def test_a_hold_at_a_fence_that_was_never_reached_is_found(task, forge):
    TaskHold.objects.create(task=task, fence=3, agent=forge, instance="main", since=db_now())

    assert findings() == [("I-01", f"task {task.pk}: somebody held it at a fence it has not reached")]


@pytest.mark.parametrize(
    ("states", "finding"),
    [
        ([("todo", 0), ("done", 0)], "went from todo to done"),
        ([("done", 1), ("todo", 1)], "went from done to todo"),
        ([("todo", 1), ("doing", 0)], "its fence went from 1 to 0"),
        ([("todo", 1), ("doing", 3)], "its fence went from 1 to 3"),
    ],
)
def test_an_unlisted_move_in_the_history_is_found(harbour, task, states, finding):
    for revision, (status, fence) in enumerate(states, start=1):
        Revision.objects.create(
            kind="task",
            record_id=task.pk,
            revision=revision,
            room_id=harbour.pk,
            data={"status": status, "fence": fence},
            created_at=db_now(),
        )

    assert findings() == [("I-03", f"task {task.pk}: {finding}")]


def test_done_without_its_record_is_found(harbour, scout):
    done = factories.make_task(harbour, creator=scout, assignee=scout, status="done")
    TaskRecord.objects.all().delete()

    assert findings() == [("I-06", f"task {done.pk}: done without its record")]


def test_a_record_of_done_on_an_open_task_is_found(held, forge):
    TaskRecord.objects.create(
        task=held, agent=forge, fence=1, status="done", summary="S", handoff_notes="N", created_at=db_now()
    )

    assert findings() == [("I-06", f"task {held.pk}: has a record of done and is not done")]


def test_work_begun_before_its_prerequisite_is_found(held, pool_task):
    Dependency.objects.create(task=held, prerequisite=pool_task)

    assert findings() == [("I-06", f"task {held.pk}: was taken before its prerequisite was done")]


@pytest.mark.parametrize(("generation", "words"), [(1, "rang more than once"), (2, "rang before the task was ready")])
def test_a_ring_too_many_or_too_early_is_found(harbour, task, scout, forge, generation, words):
    Task.objects.filter(pk=task.pk).update(ready_generation=1)
    source = f"task:{task.pk}:{generation}"
    targets = [scout, forge] if generation == 1 else [forge]
    for agent in targets:
        ring(
            harbour,
            db_now(),
            author=SystemActor(),
            agent=agent,
            kind=MentionKind.UNBLOCKED,
            source=source,
            task_id=task.pk,
        )

    assert findings() == [("I-07", f"{source}: {words}")]


def test_a_circle_of_dependencies_is_found(task, pool_task):
    Dependency.objects.create(task=task, prerequisite=pool_task)
    Dependency.objects.create(task=pool_task, prerequisite=task)

    assert findings() == [
        ("I-08", f"task {task_id}: its dependencies close a circle") for task_id in sorted([task.pk, pool_task.pk])
    ]
