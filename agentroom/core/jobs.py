"""The beat's own jobs: one tick of the schedule, and a sign of life of the Celery worker."""

from __future__ import annotations

from celery import Task, current_app, shared_task
from django.conf import settings

from agentroom.core.slots import claim_slot, mark

# With Celery gone a web process runs what is overdue by this much, so a wake starts within 7 s.
FALLBACK_SECONDS = 2.0


@shared_task(name="core.beat", bind=True)
def beat(self: Task, name: str, seconds: float) -> None:
    """Run the job `name` unless another beat or process has run it in this slot."""
    here = bool(self.request.is_eager)
    if settings.EMBEDDED or claim_slot(name, seconds, grace=FALLBACK_SECONDS if here else 0):
        current_app.tasks[name].apply(throw=True)
    if not here:
        mark("worker")
