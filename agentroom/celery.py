"""The Celery app and the one beat schedule; the embedded runner runs the same jobs without a broker."""

from __future__ import annotations

import os

from celery import Celery

os.environ.setdefault("DJANGO_SETTINGS_MODULE", "agentroom.settings")

app = Celery("agentroom")
app.set_default()  # also for threads: without it every other thread would see an empty app of its own
app.config_from_object("django.conf:settings", namespace="CELERY")
app.autodiscover_tasks(related_name="jobs")

# Job → seconds between its runs; each finds by itself what is due. No calendar times: a lane has none.
EVERY: dict[str, float] = {}

app.conf.beat_schedule = {
    name: {
        "task": "core.beat",
        "schedule": seconds,
        "args": (name, seconds),
        # Ticks that waited for a worker longer than their interval are history.
        "options": {"expires": seconds},
    }
    for name, seconds in EVERY.items()
}
