"""What the product shows of one room, read through every surface and brought into the model's words."""

from __future__ import annotations

from typing import Any

from rooms.models import Mention
from rooms.queries.context import get_room_context
from tasks.models import Task
from tasks.queries.board import read_board
from tests.tasks.model.room import Room

FINISHED = {"done", "cancelled"}


def rows(names: dict[str, str]) -> dict[str, Any]:
    """The stored rows."""
    tasks = Task.objects.select_related("assignee")
    return {
        names[task.pk]: (
            task.status,
            task.assignee.name if task.assignee else None,
            task.fence,
            task.holder_instance,
            task.ready_generation,
            task.archived_at is not None,
        )
        for task in tasks
    }


def wanted_rows(model: Room) -> dict[str, Any]:
    return {
        task.name: (task.status, task.assignee, task.fence, task.holder, task.generation, task.archived)
        for task in model.tasks.values()
    }


def board(actor: Any, room_id: str, names: dict[str, str]) -> tuple[dict[str, Any], list[str]]:
    """Open tasks by name, and the finished ones."""
    page = read_board(actor, room=room_id)
    lanes = {
        names[row["task_id"]]: (
            row["status"],
            [names[one] for one in row.get("blocked_by", [])],
            row.get("stale", False),
            row.get("claimable", False),
            row.get("fence", 0),
            lane.agent,
        )
        for lane in page.lanes
        for row in lane.tasks
    }
    return lanes, sorted(names[row["task_id"]] for row in page.done)


def wanted_board(model: Room, reader: str, aliases: dict[str | None, str | None]) -> tuple[dict[str, Any], list[str]]:
    shown = [task for task in model.tasks.values() if not task.archived]
    lanes = {
        task.name: (
            task.status,
            _waiting(model, task),
            model.is_stale(task),
            task.status == "todo" and not model.unmet(task) and task.assignee in (None, reader),
            task.fence,
            aliases[task.assignee],
        )
        for task in shown
        if task.status not in FINISHED
    }
    return lanes, sorted(task.name for task in shown if task.status in FINISHED)


def late(actor: Any, room: Any, names: dict[str, str]) -> set[str]:
    """The tasks whose time flags are set, as a reader with the present version learns of them."""
    room.refresh_from_db(fields=["board_version"])
    page = read_board(actor, room=room.pk, since_version=room.board_version)
    assert page.not_modified is True
    return {names[task_id] for task_id in page.time_flags or {}}


def wanted_late(model: Room) -> set[str]:
    return {task.name for task in model.tasks.values() if not task.archived and model.is_stale(task)}


def context(actor: Any, room_id: str, names: dict[str, str], since: int | None) -> tuple[int, dict[str, Any] | None]:
    """The present version and the caller's own open tasks; None for those when nothing stored has changed."""
    answer = get_room_context(actor, room=room_id, since_version=since).wire()
    if answer.get("not_modified"):
        return answer["context_version"], None
    return answer["context_version"], {
        names[task["task_id"]]: (task["status"], task["fence"], task.get("stale", False), task.get("claimable", False))
        for task in answer["active_tasks"]
    }


def wanted_context(model: Room, agent: str) -> dict[str, Any]:
    return {
        task.name: (task.status, task.fence, model.is_stale(task), task.status == "todo" and not model.unmet(task))
        for task in model.tasks.values()
        if task.assignee == agent and task.status in ("todo", "doing", "blocked")
    }


def rings(agents: dict[str, Any], names: dict[str, str]) -> dict[str, list[str]]:
    """What is open in each agent's inbox, oldest first."""
    found: dict[str, list[str]] = {name: [] for name in agents}
    open_ones = Mention.objects.filter(acked_at=None, cancelled_at=None).exclude(task_id="").order_by("seq")
    for agent, task_id in open_ones.values_list("agent__name", "task_id"):
        found[agent].append(names[task_id])
    return found


def _waiting(model: Room, task: Any) -> list[str]:
    return [] if task.status in ("done", "failed", "cancelled") else model.unmet(task)
