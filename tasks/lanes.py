"""Places in a lane: whole numbers with room between them, so that most moves touch one task."""

from __future__ import annotations

from collections.abc import Sequence
from typing import Any

from django.db.models import Count, Q

from agentroom.core.errors import LimitReached
from agentroom.core.limits import TASKS_PER_ROOM
from agentroom.core.prepared import Prepared
from tasks.lifecycle import IN_LANES
from tasks.models import Task

STEP = 1024
OPEN = Q(archived_at=None, status__in=sorted(IN_LANES))


def end_of(room_id: str, assignee_id: str | None) -> int:
    """The place after the last task of the lane."""
    if assignee_id is None:
        last = _LAST_OF_POOL.first_row(room_id=room_id)
    else:
        last = _LAST_OF_LANE.first_row(room_id=room_id, assignee_id=assignee_id)
    return STEP if last is None else int(last[0]) + STEP


def lane_of(task: Task) -> list[Task]:
    """The open tasks of the task's own lane, in their order."""
    return list(Task.objects.filter(OPEN, room_id=task.room_id, assignee_id=task.assignee_id).order_by("order", "pk"))


def require_space(room_id: str) -> None:
    """Raise `LimitReached` when the board is full. Counted under the room's lock, else two creators pass together."""
    counted = _COUNT.first_row(room_id=room_id)
    if counted is not None and counted[0] >= TASKS_PER_ROOM:
        raise LimitReached(
            f"This room's board has {TASKS_PER_ROOM} tasks that are not archived, and takes no more. "
            "Archive some that have ended with `archive_task`."
        )


def _orders(**lane: Any) -> Any:
    return Task.objects.filter(OPEN, **lane).order_by("-order").values_list("order")[:1]


_LAST_OF_LANE = Prepared(lambda room_id, assignee_id: _orders(room_id=room_id, assignee_id=assignee_id))
_LAST_OF_POOL = Prepared(lambda room_id: _orders(room_id=room_id, assignee=None))
_COUNT = Prepared(
    lambda room_id: (
        Task.objects.filter(room_id=room_id, archived_at=None)
        .values("room_id")
        .annotate(tasks=Count("pk"))
        .values_list("tasks")
    )
)


def between(lane: Sequence[Task], before: int) -> int | None:
    """A place just ahead of `lane[before]` (or at the end), or None when there is no number left between."""
    if not lane:
        return STEP
    if before >= len(lane):
        return lane[-1].order + STEP
    if before == 0:
        return lane[0].order - STEP
    gap = lane[before].order - lane[before - 1].order
    return lane[before - 1].order + gap // 2 if gap > 1 else None
