"""Is it alive, may it be sent requests, is anything falling behind: three questions, three addresses."""

from __future__ import annotations

import functools
import time
from collections.abc import Callable
from typing import Any

import redis
from django.conf import settings
from django.db import DatabaseError, connection
from django.db.migrations.executor import MigrationExecutor
from django.http import HttpRequest, JsonResponse
from django.views.decorators.http import require_safe
from redis.backoff import NoBackoff
from redis.retry import Retry

from agentroom.core import background, slots

# Facts of the apps, filled in their `probes.py`: name → a number cheap to read, such as the oldest due wake's age.
PROBES: dict[str, Callable[[], float | int]] = {}


@require_safe
def alive(request: HttpRequest) -> JsonResponse:
    """The process answers. Nothing else is asked: a database away must not get it killed."""
    return JsonResponse({"status": "ok", "version": settings.AGENTROOM_VERSION})


@require_safe
def ready(request: HttpRequest) -> JsonResponse:
    """The database answers and has every migration; else 503, so that a proxy sends requests elsewhere."""
    try:
        with connection.cursor() as cursor:
            cursor.execute("SELECT 1")
        missing = 0 if _migrated() else _missing_migrations()
    except DatabaseError:
        return _not_ready("database", "The database does not answer.")
    if missing:
        return _not_ready("migrations", f"{missing} migrations are missing: run manage.py migrate.")
    return JsonResponse({"status": "ok"})


@require_safe
def deep(request: HttpRequest) -> JsonResponse:
    """For operators and monitors: how old the oldest work is, and who has shown a sign of life."""
    try:
        answer: dict[str, Any] = {
            "status": "ok",
            "slots_age_seconds": slots.ages(),
            **{name: probe() for name, probe in sorted(PROBES.items())},
        }
    except DatabaseError:
        return _not_ready("database", "The database does not answer.")
    answer["lanes"] = background.state()
    answer["redis"] = _redis_state()
    answer["uptime_seconds"] = round(time.monotonic() - _started)
    return JsonResponse(answer)


_started = time.monotonic()
_seen_migrated = False


def _migrated() -> bool:
    return _seen_migrated


def _missing_migrations() -> int:
    # Reads every migration file, so it is asked until the answer is none and then never again.
    global _seen_migrated
    executor = MigrationExecutor(connection)
    missing = len(executor.migration_plan(executor.loader.graph.leaf_nodes()))
    _seen_migrated = missing == 0
    return missing


def _redis_state() -> str:
    if not settings.REDIS_URL:
        return "not used"
    try:
        _client(settings.REDIS_URL).ping()
    except redis.RedisError:
        return "away"
    return "ok"


@functools.cache
def _client(url: str) -> redis.Redis:
    return redis.Redis.from_url(url, socket_timeout=1, socket_connect_timeout=1, retry=Retry(NoBackoff(), 0))


def _not_ready(what: str, sentence: str) -> JsonResponse:
    body = {"status": "unavailable", "missing": what, "message": sentence}
    return JsonResponse(body, status=503, headers={"Retry-After": "2"})
