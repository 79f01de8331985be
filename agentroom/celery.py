"""The Celery app and the one beat schedule; the embedded runner runs the same jobs without a broker."""

from __future__ import annotations

import os
from typing import Any

from celery import Celery
from celery.signals import setup_logging, worker_init
from django.core.exceptions import ImproperlyConfigured

from agentroom.core.checks import refuse_unsafe

os.environ.setdefault("DJANGO_SETTINGS_MODULE", "agentroom.settings")

app = Celery("agentroom")
app.set_default()  # also for threads: without it every other thread would see an empty app of its own
app.config_from_object("django.conf:settings", namespace="CELERY")
app.autodiscover_tasks(related_name="jobs")

# Job → seconds between its runs; each finds by itself what is due. No calendar times: a lane has none.
EVERY: dict[str, float] = {
    "identity.clear_away": 3600.0,
    "identity.forget_receipts": 600.0,
    "identity.keep_a_key": 3600.0,
    "rooms.mail_invites": 60.0,
    "tasks.notice_stale": 30.0,
}

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


@setup_logging.connect
def keep_logs(**kwargs: Any) -> None:
    """A receiver here keeps Celery from replacing the logs of the settings."""


@worker_init.connect
def refuse_unsafe_worker(**kwargs: Any) -> None:
    # A signal's exceptions are only logged; leaving is not.
    try:
        refuse_unsafe()
    except ImproperlyConfigured as refusal:
        raise SystemExit(str(refusal)) from None
