"""Making one move of the table: one UPDATE guarded by the status and fence it was decided on, its row counted (F2)."""

from __future__ import annotations

from datetime import datetime
from typing import Any

from agentroom.core.errors import Conflict, Overtaken
from agentroom.core.prepared import Ask, in_one_trip
from agentroom.core.together import changing_if
from tasks.leases import lease_from
from tasks.lifecycle import CLOSED, HELD, Move
from tasks.models import Task

LET_GO: dict[str, Any] = {"holder_instance": "", "locked_at": None, "lease_expires_at": None}


def make(task: Task, move: Move, now: datetime, **fields: Any) -> None:
    """Move the stored task along `move` and bring `task` up to date.

    Raises `Conflict` when it has moved meanwhile, or lies in the archive.
    """
    in_one_trip(making(task, move, now, **fields))


def making(task: Task, move: Move, now: datetime, **fields: Any) -> Ask:
    """As `make`, to travel with the statements that follow it: that it came too late shows in its answer.

    `task` is brought up to date at once. Raises `Conflict` for one that lies in the archive.
    """
    if task.archived_at is not None:
        raise Conflict("This task is archived. A person who administers the room can bring it back first.")
    held = LET_GO if move.target not in HELD else {}
    closed = now if move.target in CLOSED else None
    fresh = {"reason": "", "stale_noticed": None}
    changes = {"status": move.target.value, "finished_at": closed, **fresh, **held, **fields}
    if move.bumps_fence:
        changes["fence"] = task.fence + 1
    return changing(task, now, **changes)


def change(task: Task, now: datetime, **changes: Any) -> None:
    """Store `changes` as the task's next revision, if nobody was faster."""
    in_one_trip(changing(task, now, **changes))


def changing(task: Task, now: datetime, **changes: Any) -> Ask:
    """As `change`, to travel with the statements that follow it."""
    changes = {**changes, "revision": task.revision + 1, "updated_at": now}
    return changing_if(task, changes, still=("status", "fence", "revision")).then(_require_first)


def _require_first(was_first: bool) -> None:
    if not was_first:
        raise Overtaken("Somebody moved this task meanwhile. Read the board and decide again.")


def require_revision(task: Task, expected: int | None) -> None:
    """Raise `Conflict` with the present revision when the caller has read another one."""
    if expected not in {None, task.revision}:
        raise Overtaken(
            f"Somebody changed this task meanwhile: it is at revision {task.revision}. Read it again, then decide.",
            revision=task.revision,
        )


def lock_fields(now: datetime, instance: str) -> dict[str, Any]:
    """The columns of a lock just taken."""
    return {
        "holder_instance": instance,
        "locked_at": now,
        "lease_expires_at": lease_from(now),
        "progress_at": now,
    }


def resumed_fields(now: datetime) -> dict[str, Any]:
    """The columns of a lock that its holder goes on with."""
    return {"lease_expires_at": lease_from(now), "progress_at": now}


def ready_again(task: Task, now: datetime) -> tuple[str, ...]:
    """Count once more that the task, locked by the caller, became ready. Returns the fields to store."""
    task.ready_generation += 1
    task.revision += 1
    task.ready_since = task.updated_at = now
    return ("ready_generation", "ready_since", "revision", "updated_at")
