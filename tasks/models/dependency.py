"""An edge of the dependency graph; acyclic in every committed state (I-08)."""

from __future__ import annotations

from django.db import models

from tasks.models.task import Task


class Dependency(models.Model):
    """`task` waits until `prerequisite` is done."""

    task = models.ForeignKey(Task, on_delete=models.CASCADE, related_name="dependencies", db_index=False)
    prerequisite = models.ForeignKey(Task, on_delete=models.PROTECT, related_name="dependents")
    position = models.PositiveSmallIntegerField(default=0)

    class Meta:
        verbose_name_plural = "dependencies"
        constraints = [
            models.UniqueConstraint(fields=["task", "prerequisite"], name="dependency_once"),
            models.CheckConstraint(condition=~models.Q(task=models.F("prerequisite")), name="dependency_not_on_itself"),
        ]

    def __str__(self) -> str:
        return f"{self.task_id} after {self.prerequisite_id}"
