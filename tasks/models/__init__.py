"""A file a noun; imported from here."""

from __future__ import annotations

from tasks.models.dependency import Dependency
from tasks.models.record import TaskHold, TaskRecord
from tasks.models.task import Consent, LockPolicy, Task

__all__ = ["Consent", "Dependency", "LockPolicy", "Task", "TaskHold", "TaskRecord"]
