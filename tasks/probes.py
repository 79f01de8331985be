"""What the health page counts of tasks."""

from __future__ import annotations

from agentroom.core.health import PROBES
from tasks.lifecycle import CLOSED
from tasks.models import Task

COUNTED_MOST = 1000


def stale_tasks() -> int:
    """Open tasks that the sweep has noted as stale; the exact number matters to nobody beyond a thousand."""
    noted = Task.objects.filter(stale_noticed__isnull=False).exclude(status__in=sorted(CLOSED))
    return noted.values("pk")[:COUNTED_MOST].count()


PROBES["stale_tasks"] = stale_tasks
