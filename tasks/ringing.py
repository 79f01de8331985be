"""The doorbell: a task that becomes ready rings its assignee once, and stops ringing when it is over (I-07)."""

from __future__ import annotations

from datetime import datetime

from identity.actors import Actor
from rooms import inbox
from rooms.models import Mention, MentionKind, Room
from rooms.wakes.decide import Outcome
from tasks.models import Task
from tasks.outputs import Unblocked

KINDS = (MentionKind.ASSIGNED, MentionKind.UNBLOCKED)
# What an unblock owes to an agent whose owner has turned Trust off (00-product.md, "Trust").
SKIPPED = "skipped(trust_off)"


def ring(room: Room, author: Actor, now: datetime, task: Task, kind: MentionKind) -> Mention | None:
    """Ring the assignee for the task's present `ready_generation`; nobody is rung twice for one."""
    if task.assignee is None:
        return None
    return inbox.ring(
        room,
        now,
        author=author,
        agent=task.assignee,
        kind=kind,
        source=f"task:{task.pk}:{task.ready_generation}",
        task_id=task.pk,
        excerpt=task.title,
    )


def unblocked(task: Task, mention: Mention | None) -> Unblocked:
    """What ringing for a task that was set free came to."""
    if task.assignee is None or mention is None:
        return Unblocked(task_id=task.pk, assignee=task.assignee.plate if task.assignee else None)
    outcome = SKIPPED if mention.outcome == Outcome.BLOCKED_BY_TRUST else mention.outcome
    return Unblocked(task_id=task.pk, assignee=task.assignee.plate, mention_id=mention.pk, outcome=outcome)


def silence(task: Task, now: datetime) -> None:
    """Take what still rings for the task out of its assignee's inbox. Messages about it stay."""
    if task.assignee_id is not None:
        inbox.cancel(now, agent_id=task.assignee_id, task_id=task.pk, kind__in=KINDS)
