"""Which tasks the sweep must look at: those that may be stale by time or left behind, and those noted before."""

from __future__ import annotations

from django.db.models import Exists, OuterRef, Q

from agentroom.core.clock import db_now
from agentroom.core.limits import NO_PROGRESS, STALE_TODO
from rooms.models import AgentMember
from tasks.lifecycle import OPEN, Status
from tasks.models import Task

AT_ONCE = 500


def suspects(after: str) -> list[tuple[str, str]]:
    """(room id, task id) of the next tasks behind the task id `after`; nobody in front can starve them."""
    now = db_now()
    ended = Q(lease_expires_at__lte=now) | Q(progress_at__lte=now - NO_PROGRESS)
    waiting = Q(assignee__isnull=False, ready_since__lte=now - STALE_TODO)
    late = (Q(status=Status.DOING) & ended) | (Q(status=Status.TODO) & waiting) | Q(stale_noticed__isnull=False)
    left = AgentMember.objects.filter(room=OuterRef("room"), agent=OuterRef("assignee"), left_at__isnull=False)
    tasks = Task.objects.filter(late | Exists(left), status__in=sorted(OPEN), pk__gt=after).order_by("pk")
    return list(tasks.values_list("room_id", "pk")[:AT_ONCE])
