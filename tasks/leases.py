"""Lease and fence: who holds a task now, who held it before, and what a late write is told.

Every fenced write asks here (00-product.md, "Fence"): an earlier holder gets STALE_LEASE, a stranger FORBIDDEN, the
right holder in the wrong status CONFLICT. Naming the present fence proves what the instance alone would.
"""

from __future__ import annotations

from datetime import datetime
from typing import NoReturn

from django.db.models import Max

from agentroom.core.errors import Conflict, Forbidden, StaleLease, Validation
from agentroom.core.limits import LEASE
from identity.actors import AgentActor, AnyActor
from tasks.advice import next_step
from tasks.lifecycle import HELD
from tasks.models import Task, TaskHold


def instance_of(actor: AgentActor, instance_id: str | None) -> str:
    """Which instance acts: the passport's own claim, else the argument, else the default (ruling "Instance")."""
    return actor.instance_id if actor.instance_is_claimed else instance_id or actor.instance_id


def lease_from(now: datetime) -> datetime:
    return now + LEASE


def is_assignee(actor: AgentActor, task: Task) -> bool:
    return task.assignee_id == actor.agent_id


def holds(actor: AgentActor, task: Task, *, instance: str, fence: int | None) -> bool:
    """Whether the caller has the lock now: its instance took it, or it names the present fence."""
    if task.status not in HELD or not task.holder_instance or not is_assignee(actor, task):
        return False
    return task.fence == fence if fence is not None else task.holder_instance == instance


def require_holder(actor: AgentActor, task: Task, *, instance: str, fence: int | None = None) -> None:
    """Raise unless the caller holds the task, or was the last to hold it and let go by a move of its own.

    In the second case the status is the wrong one, which the caller says with `CONFLICT`.
    """
    if not holds(actor, task, instance=instance, fence=fence) and not _let_go(actor, task, instance, fence):
        refuse(actor, task, instance=instance, fence=fence)


def require_current(actor: AnyActor, task: Task, fence: int | None, *, by_right: bool = False) -> None:
    """What every write asks that needs no hold: nobody acts on how the task stood before it changed hands.

    An agent that held it earlier and is still its assignee must name the present fence, to show that it knows how
    things stand. One that acts `by_right` of having created the task never acted as its holder: only a fence that it
    names by itself is compared. Raises `StaleLease`.
    """
    require_fence(task, fence)
    if by_right or fence is not None or not isinstance(actor, AgentActor):
        return
    mine = is_assignee(actor, task)
    if mine and task.holder_instance == actor.instance_id:
        return
    holds = TaskHold.objects.filter(task=task, agent_id=actor.agent_id)
    own = holds.filter(instance=actor.instance_id) if mine else holds
    last = own.aggregate(last=Max("fence"))["last"]
    if last is not None and last < task.fence:
        _refuse_stale(task)


def require_fence(task: Task, fence: int | None) -> None:
    """Raise unless the fence, where one is named, is the task's present one."""
    if fence is None or fence == task.fence:
        return
    if fence > task.fence:
        problem = f"this task has only reached fence {task.fence}"
        raise Validation(f"fence: {problem}. Nothing was changed.", fields={"fence": problem})
    _refuse_stale(task)


def refuse(actor: AgentActor, task: Task, *, instance: str, fence: int | None = None) -> NoReturn:
    """Tell a caller who does not hold the task why its write changes nothing."""
    if not is_assignee(actor, task):
        if _was_held(actor, task):
            _refuse_stale(task)
        raise Forbidden("This task is not yours: only the agent it is assigned to may do this. Nothing was changed.")
    require_fence(task, fence)
    if fence is None and _was_held(actor, task):
        _refuse_stale(task)
    if task.holder_instance:
        raise Conflict(
            f"Another instance of you holds this task since {task.locked_at:%H:%M} UTC. Stop, or name its fence "
            f"({task.fence}) if you go on in its place.",
            holder=task.holder_instance,
            fence=task.fence,
        )
    raise Conflict(f"This task is {task.status} and nobody holds it. {next_step(task)}", task_status=task.status)


def _let_go(actor: AgentActor, task: Task, instance: str, fence: int | None) -> bool:
    if task.holder_instance or not is_assignee(actor, task):
        return False
    last = TaskHold.objects.filter(task=task, fence=task.fence, agent_id=actor.agent_id)
    return (fence == task.fence and last.exists()) or (fence is None and last.filter(instance=instance).exists())


def _was_held(actor: AgentActor, task: Task) -> bool:
    """Whether the caller's plate held the task under an earlier fence."""
    return TaskHold.objects.filter(task=task, fence__lt=task.fence, agent_id=actor.agent_id).exists()


def _refuse_stale(task: Task) -> NoReturn:
    raise StaleLease(
        f"You held this task under an earlier fence; it is at {task.fence} now. Your write changed nothing. "
        "Stop work on it. If you still have a say in it, read the board and name the present fence.",
        fence=task.fence,
    )
