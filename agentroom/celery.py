"""The Celery app and the one beat schedule; the embedded runner runs the same jobs without a broker."""

from __future__ import annotations

import os

from celery import Celery

os.environ.setdefault("DJANGO_SETTINGS_MODULE", "agentroom.settings")

app = Celery("agentroom")
app.config_from_object("django.conf:settings", namespace="CELERY")
app.autodiscover_tasks(related_name="jobs")

# Intervals in seconds only: the embedded runner has no calendar and refuses a crontab at start.
# One entry a line: "app.job": {"task": "app.job", "schedule": seconds}.
app.conf.beat_schedule = {}
