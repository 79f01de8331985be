"""Is it alive, may it be sent requests, is anything falling behind: three questions, three addresses."""

from __future__ import annotations

import functools
import time
from collections.abc import Callable, Iterator
from typing import Any

import redis
from celery import current_app
from django.conf import settings
from django.db import DatabaseError, connection
from django.db.migrations.executor import MigrationExecutor
from django.http import HttpRequest, JsonResponse
from django.views.decorators.http import require_safe
from redis.backoff import NoBackoff
from redis.retry import Retry

from agentroom.core import background, layer, slots

# Facts of the apps, filled in their `probes.py`: name → a number cheap to read, such as the oldest due wake's age.
PROBES: dict[str, Callable[[], float | int]] = {}

# A job is behind when it has not begun for this many of its intervals, and some seconds.
LATE_TIMES = 3
LATE_SECONDS = 30.0
# Every tick of the schedule is a sign of life of the Celery worker; the busiest comes every 30 s.
WORKER_SECONDS = 120.0
PROBED_FOR_SECONDS = 5.0


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
    """For operators and monitors: what is behind or away, how old the oldest work is, who has shown a sign of life.

    Public like the other two: ages and counts only, of no room and no person. Something behind is no reason to
    send requests elsewhere, so the status is 200 unless the database is away.
    """
    try:
        ages = slots.ages() | (background.beat_ages() if settings.EMBEDDED else {})
        answer: dict[str, Any] = {
            "database": "ok",
            "missing_migrations": 0 if _migrated() else _missing_migrations(),
            "slots_age_seconds": {name: round(age, 1) for name, age in sorted(ages.items())},
            **_probed(),
        }
    except DatabaseError:
        return _not_ready("database", "The database does not answer.")
    answer["lanes"] = background.state()
    answer["redis"], answer["jobs_at_broker"] = _redis_state()
    answer["layer"] = {"kind": "in process" if settings.IN_PROCESS_LAYER else "redis", "dropped": layer.dropped()}
    answer["uptime_seconds"] = round(time.monotonic() - _started)
    behind = sorted(_behind(answer))
    return JsonResponse({"status": "degraded" if behind else "ok", "behind": behind, **answer})


_started = time.monotonic()
_facts: tuple[float, dict[str, float | int]] = (0.0, {})
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


def _probed() -> dict[str, float | int]:
    """The facts of the apps, asked again after some seconds: whoever polls must not keep the database busy."""
    global _facts
    if time.monotonic() >= _facts[0]:
        _facts = time.monotonic() + PROBED_FOR_SECONDS, {name: probe() for name, probe in sorted(PROBES.items())}
    return _facts[1]


def _behind(answer: dict[str, Any]) -> Iterator[str]:
    """What a person should look at, by name."""
    uptime, ages = answer["uptime_seconds"], answer["slots_age_seconds"]
    if answer["missing_migrations"]:
        yield "migrations"
    if answer["redis"] == "away":
        yield "redis"
    if answer["lanes"]["waiting_seconds"] > LATE_SECONDS:
        yield "lanes"
    if not settings.EMBEDDED and ages.get("worker", uptime) > WORKER_SECONDS:
        yield "worker"
    for name, line in current_app.conf.beat_schedule.items():
        if ages.get(name, uptime) > LATE_TIMES * line["schedule"] + LATE_SECONDS:
            yield name


def _redis_state() -> tuple[str, int]:
    """Whether Redis answers, and how many jobs wait there for a worker."""
    if not settings.REDIS_URL:
        return "not used", 0
    try:
        queue = f"{settings.REDIS_PREFIX}{settings.CELERY_TASK_DEFAULT_QUEUE}"
        return "ok", int(_client(settings.REDIS_URL).llen(queue))
    except redis.RedisError:
        return "away", 0


@functools.cache
def _client(url: str) -> redis.Redis:
    return redis.Redis.from_url(url, socket_timeout=1, socket_connect_timeout=1, retry=Retry(NoBackoff(), 0))


def _not_ready(what: str, sentence: str) -> JsonResponse:
    body = {"status": "unavailable", "missing": what, "message": sentence}
    return JsonResponse(body, status=503, headers={"Retry-After": "2"})
