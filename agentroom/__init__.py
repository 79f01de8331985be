"""Agent Room. Loads the Celery app, nothing else."""

from __future__ import annotations

from agentroom.celery import app as celery_app

__all__ = ["celery_app"]
