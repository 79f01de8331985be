"""What was reported about a task, and who has held it."""

from __future__ import annotations

from django.db import models

from identity.models import Agent
from tasks.lifecycle import Status
from tasks.models.task import Task


class TaskRecord(models.Model):
    """The compact close-out of a meaningful step (seed 001, "Task statuses").

    `handoff_notes` are kept verbatim. `digest` is over the request, so that its repeat is told from another one;
    `unblocked` is what it set free, with the outcome of each ring.
    """

    task = models.ForeignKey(Task, on_delete=models.CASCADE, related_name="records")
    agent = models.ForeignKey(Agent, on_delete=models.PROTECT, related_name="+", db_index=False)
    instance = models.CharField(max_length=64, default="", blank=True)
    fence = models.PositiveIntegerField()
    status = models.CharField(max_length=9)
    summary = models.CharField(max_length=500)
    artifacts = models.JSONField(default=list)
    next = models.CharField(max_length=500, default="", blank=True)
    handoff_notes = models.TextField(default="", blank=True)
    unblocked = models.JSONField(default=list)
    digest = models.CharField(max_length=64, default="", blank=True)
    created_at = models.DateTimeField()

    class Meta:
        constraints = [
            models.UniqueConstraint(
                fields=["task"], condition=models.Q(status=Status.DONE.value), name="task_done_once"
            ),
            models.CheckConstraint(
                condition=~models.Q(status=Status.DONE.value) | ~models.Q(handoff_notes=""),
                name="done_has_handoff_notes",
            ),
        ]

    def __str__(self) -> str:
        return f"{self.task_id} {self.status}"


class TaskHold(models.Model):
    """Who took the lock at which fence. Tells a late write of an earlier holder from a stranger's."""

    task = models.ForeignKey(Task, on_delete=models.CASCADE, related_name="holds", db_index=False)
    fence = models.PositiveIntegerField()
    agent = models.ForeignKey(Agent, on_delete=models.PROTECT, related_name="+", db_index=False)
    instance = models.CharField(max_length=64)
    since = models.DateTimeField()

    class Meta:
        constraints = [models.UniqueConstraint(fields=["task", "fence"], name="one_hold_per_fence")]

    def __str__(self) -> str:
        return f"{self.task_id} fence {self.fence}"
