"""What must always hold of tasks (reliability.md 4.A), checked over the whole database by `audit_invariants`."""

from __future__ import annotations

from collections import defaultdict
from collections.abc import Iterator
from itertools import pairwise

from django.db.models import Count, Exists, F, Max, OuterRef, Q, Subquery

from agentroom.core import invariants
from agentroom.core.models import Revision
from rooms.inbox import OF_A_TASK
from rooms.models import Mention
from tasks.lifecycle import HELD, Status, arrows
from tasks.models import Dependency, Task, TaskHold, TaskRecord

TASK = "task"


def _holders() -> Iterator[str]:
    """I-01: who is recorded as holder is the last to have taken the lock, at the present fence."""
    last = TaskHold.objects.filter(task=OuterRef("pk")).order_by("-fence")
    held = Task.objects.filter(status__in=sorted(HELD)).exclude(holder_instance="")
    held = held.annotate(at=Subquery(last.values("fence")[:1]), who=Subquery(last.values("agent_id")[:1]))
    held = held.annotate(which=Subquery(last.values("instance")[:1]))
    right = Q(at=F("fence"), who=F("assignee_id"), which=F("holder_instance"))
    for task_id in held.exclude(right).values_list("pk", flat=True):
        yield f"task {task_id}: its holder is not the last one that took it"
    ahead = Task.objects.annotate(last=Max("holds__fence")).filter(last__gt=F("fence"))
    for task_id in ahead.values_list("pk", flat=True):
        yield f"task {task_id}: somebody held it at a fence it has not reached"


def _moves() -> Iterator[str]:
    """I-03: each revision follows from the one before by a listed move, and the fence grows by at most one."""
    legal = {(source.value, target.value) for source, target in arrows()}
    for task_id, states in _histories():
        for (old, old_fence), (new, new_fence) in pairwise(states):
            if old != new and (old, new) not in legal:
                yield f"task {task_id}: went from {old} to {new}"
            if new_fence not in {old_fence, old_fence + 1}:
                yield f"task {task_id}: its fence went from {old_fence} to {new_fence}"


def _histories() -> Iterator[tuple[str, list[tuple[str, int]]]]:
    rows = Revision.objects.filter(kind=TASK).order_by("record_id", "revision")
    task_id = ""
    states: list[tuple[str, int]] = []
    for record_id, data in rows.values_list("record_id", "data").iterator(chunk_size=1000):
        if record_id != task_id:
            yield task_id, states
            task_id, states = record_id, []
        states.append((data["status"], data["fence"]))
    yield task_id, states


def _completions() -> Iterator[str]:
    """I-06: done means one record with a letter, and no such record without done."""
    record = TaskRecord.objects.filter(task=OuterRef("pk"), status=Status.DONE)
    for task_id in Task.objects.filter(~Exists(record), status=Status.DONE).values_list("pk", flat=True):
        yield f"task {task_id}: done without its record"
    orphans = TaskRecord.objects.filter(status=Status.DONE).exclude(task__status=Status.DONE)
    for task_id in orphans.values_list("task_id", flat=True):
        yield f"task {task_id}: has a record of done and is not done"
    early = Dependency.objects.filter(task__status__in=[Status.DOING, Status.DONE])
    for task_id in early.exclude(prerequisite__status=Status.DONE).values_list("task_id", flat=True):
        yield f"task {task_id}: was taken before its prerequisite was done"


def _rings() -> Iterator[str]:
    """I-07: each time a task became ready rings at most once, and none rings for a time that has not come."""
    rings = Mention.objects.filter(kind__in=OF_A_TASK).exclude(task_id="")
    for source in (
        rings.values("source").annotate(times=Count("pk")).filter(times__gt=1).values_list("source", flat=True)
    ):
        yield f"{source}: rang more than once"
    generations = dict(Task.objects.values_list("pk", "ready_generation"))
    for task_id, source in rings.values_list("task_id", "source").iterator(chunk_size=1000):
        if int(source.rpartition(":")[2]) > generations.get(task_id, 0):
            yield f"{source}: rang before the task was ready"


def _circles() -> Iterator[str]:
    """I-08: taking away, again and again, what waits for nothing leaves nothing."""
    waits: dict[str, set[str]] = defaultdict(set)
    frees: dict[str, set[str]] = defaultdict(set)
    for task_id, prerequisite_id in Dependency.objects.values_list("task_id", "prerequisite_id"):
        waits[task_id].add(prerequisite_id)
        frees[prerequisite_id].add(task_id)
    free = [task_id for task_id in frees if task_id not in waits]
    while free:
        done = free.pop()
        for task_id in frees.pop(done, ()):
            waits[task_id].discard(done)
            if not waits[task_id]:
                free.append(task_id)
    for task_id, left in sorted(waits.items()):
        if left:
            yield f"task {task_id}: its dependencies close a circle"


invariants.register("I-01 one holder, and the fence only grows", _holders)
invariants.register("I-03 only listed moves", _moves)
invariants.register("I-06 completion is all or nothing", _completions)
invariants.register("I-07 ready rings once", _rings)
invariants.register("I-08 no circle of dependencies", _circles)
