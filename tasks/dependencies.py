"""The dependency graph: what a task waits for, what an end sets free, and that no circle ever closes (I-08).

Every writer holds the room's lock, so edges of one room are changed one transaction at a time (reliability F5).
"""

from __future__ import annotations

from collections.abc import Iterable, Sequence
from dataclasses import dataclass
from typing import Any

from django.db import connection
from django.db.models import OuterRef, Q, QuerySet

from agentroom.core.errors import Conflict, Validation
from agentroom.core.prepared import Ask, Prepared, in_one_trip
from tasks.lifecycle import WAITING, Status
from tasks.models import Dependency, Task


@dataclass(frozen=True, slots=True)
class Prerequisite:
    task_id: str
    status: str

    @property
    def is_met(self) -> bool:
        return self.status == Status.DONE


def prerequisites_of(task_id: str) -> tuple[Prerequisite, ...]:
    """What the task depends on, in the order in which it was declared."""
    (found,) = in_one_trip(asking_prerequisites(task_id))
    return found  # type: ignore[no-any-return]


def asking_prerequisites(task_id: str) -> Ask:
    """As `prerequisites_of`, for several reads at once."""
    return _EDGES.asking(task_id=task_id).then(lambda rows: tuple(Prerequisite(*row) for row in rows))


_EDGES = Prepared(
    lambda task_id: (
        Dependency.objects.filter(task_id=task_id)
        .order_by("position", "pk")
        .values_list("prerequisite_id", "prerequisite__status")
    )
)


def prerequisites_by_task(task_ids: Iterable[str]) -> dict[str, tuple[Prerequisite, ...]]:
    """As `prerequisites_of`, for many tasks at once; a task without any is absent."""
    found: dict[str, tuple[Prerequisite, ...]] = {}
    edges = Dependency.objects.filter(task_id__in=list(task_ids)).order_by("position", "pk")
    for task_id, *row in edges.values_list("task_id", "prerequisite_id", "prerequisite__status"):
        found[task_id] = (*found.get(task_id, ()), Prerequisite(*row))
    return found


def unmet(prerequisites: Iterable[Prerequisite]) -> list[Prerequisite]:
    return [prerequisite for prerequisite in prerequisites if not prerequisite.is_met]


def open_edges() -> QuerySet[Dependency]:
    """The unmet prerequisites of an outer task; for `Exists`."""
    return Dependency.objects.filter(task=OuterRef("pk")).exclude(prerequisite__status=Status.DONE)


def required(room_id: str, task_ids: Iterable[str], kept: Iterable[Prerequisite] = ()) -> tuple[Prerequisite, ...]:
    """These tasks, without repeats. Raises `Validation` for one that is neither `kept` nor on this room's board."""
    wanted = list(dict.fromkeys(task_ids))
    if not wanted:
        return ()
    board = Q(archived_at=None) | Q(pk__in=[prerequisite.task_id for prerequisite in kept])
    known = dict(Task.objects.filter(board, room_id=room_id, pk__in=wanted).values_list("pk", "status"))
    missing = ", ".join(task_id for task_id in wanted if task_id not in known)
    if missing:
        raise Validation(
            f"depends_on names tasks that are not on this room's board: {missing}. "
            "`read_board` shows the tasks it may name. Nothing was changed.",
            fields={"depends_on": f"not on this room's board: {missing}"[:200]},
        )
    return tuple(Prerequisite(task_id, known[task_id]) for task_id in wanted)


def require_acyclic(task_id: str, wanted: Sequence[str]) -> None:
    """Raise `Conflict` with the circle that `task_id` after `wanted` would close."""
    if not wanted:
        return
    circle = _path(task_id, wanted, _edges_behind(wanted, task_id))
    if circle:
        raise Conflict(
            "These dependencies would close a circle: "
            + " waits for ".join(circle)
            + ". Leave one of them out; nothing was changed.",
            cycle=circle,
        )


def replace(task: Task, wanted: Iterable[Prerequisite]) -> None:
    """Make `wanted` the task's prerequisites, in that order."""
    Dependency.objects.filter(task=task).delete()
    Dependency.objects.bulk_create(edges(task, wanted))


def edges(task: Task, wanted: Iterable[Prerequisite]) -> list[Dependency]:
    """Unsaved edges from `task` to each of `wanted`, in that order."""
    return [
        Dependency(task=task, prerequisite_id=prerequisite.task_id, position=position)
        for position, prerequisite in enumerate(wanted)
    ]


Free = dict[Task, tuple[Prerequisite, ...]]


def asking_dependents(task: Task) -> tuple[Ask, Ask]:
    """The direct dependents of a task just done, locked, and behind them their edges: for `set_free`.

    They are locked before anything is asked of them: two prerequisites that end at once would otherwise each see the
    other unfinished (reliability F4).
    """
    return _DEPENDENTS.asking(task_id=task.pk), _EDGES_OF_DEPENDENTS.asking(task_id=task.pk)


def set_free(locked: Iterable[Task], edge_rows: Iterable[Any]) -> Free:
    """Those of the dependents that wait for nothing else now, by id, with their edges."""
    edges: dict[str, tuple[Prerequisite, ...]] = {}
    for waiting, *row in edge_rows:
        edges[waiting] = (*edges.get(waiting, ()), Prerequisite(*row))
    return {dependent: edges[dependent.pk] for dependent in locked if not unmet(edges[dependent.pk])}


def _dependents(task_id: str) -> QuerySet[Task]:
    return Task.objects.filter(dependencies__prerequisite_id=task_id, status__in=sorted(WAITING))


_DEPENDENTS = Prepared(
    lambda task_id: (
        _dependents(task_id)
        .select_related("assignee__owner")
        .order_by("pk")
        .select_for_update(of=("self",), no_key=connection.vendor == "postgresql")
    )
)
_EDGES_OF_DEPENDENTS = Prepared(
    lambda task_id: (
        Dependency.objects.filter(task__in=_dependents(task_id))
        .order_by("position", "pk")
        .values_list("task_id", "prerequisite_id", "prerequisite__status")
    )
)


def _edges_behind(wanted: Sequence[str], task_id: str) -> dict[str, list[str]]:
    """Who waits for whom on the ways from `wanted` on, as far as `task_id` and as what is done: one read per step."""
    edges: dict[str, list[str]] = {}
    ahead = set(wanted) - {task_id}
    while ahead:
        edges |= {waiting: [] for waiting in ahead}
        rows = Dependency.objects.filter(task_id__in=ahead).exclude(prerequisite__status=Status.DONE)
        for waiting, prerequisite in rows.order_by("position").values_list("task_id", "prerequisite_id"):
            edges[waiting].append(prerequisite)
        ahead = {further for waiting in ahead for further in edges[waiting]} - set(edges) - {task_id}
    return edges


def _path(task_id: str, wanted: Sequence[str], edges: dict[str, list[str]]) -> list[str]:
    """The way from `task_id` along its wanted prerequisites back to itself, or nothing."""
    stack = [(first, [task_id, first]) for first in reversed(wanted)]
    seen: set[str] = set()
    while stack:
        here, path = stack.pop()
        if here == task_id:
            return path
        if here in seen:
            continue
        seen.add(here)
        stack.extend((following, [*path, following]) for following in reversed(edges.get(here, [])))
    return []
