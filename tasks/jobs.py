"""Jobs of tasks: the sweep that notices what was left alone."""

from __future__ import annotations

from collections import defaultdict

from celery import shared_task

from agentroom.core.background import drain
from identity.actors import SystemActor
from tasks.operations.notice import notice_stale
from tasks.queries.stale import suspects

NOTICE_JOB = "tasks.notice_stale"


@shared_task(name=NOTICE_JOB)
def notice_stale_tasks() -> None:
    """Look through everything that may be stale, once, a stretch at a time."""
    drain(_Stretches().look)


class _Stretches:
    """Walks by id, so that each step goes on behind the last."""

    def __init__(self) -> None:
        self._after = ""

    def look(self) -> int:
        found = suspects(self._after)
        by_room: dict[str, list[str]] = defaultdict(list)
        for room_id, task_id in found:
            by_room[room_id].append(task_id)
            self._after = task_id
        for room_id, task_ids in by_room.items():
            notice_stale(SystemActor(), room_id=room_id, task_ids=task_ids)
        return len(found)
