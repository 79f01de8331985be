"""The one door to jobs: `later("app.job", id)` after the commit. Rows are the truth, a lost nudge is late.

Embedded: two threads of this process run the jobs. Full: one thread sends the nudges to Celery by name, so
that no request ever waits for the broker, and a web process keeps the schedule as a fallback.
"""

from __future__ import annotations

import logging
import os
import threading
import time
from collections import Counter
from collections.abc import Callable, Mapping
from datetime import timedelta
from typing import Any

from celery import current_app
from celery.schedules import schedule
from django.conf import settings
from django.core.exceptions import ImproperlyConfigured
from django.db import close_old_connections
from django.utils.module_loading import autodiscover_modules

from agentroom.core.events import after_commit
from agentroom.core.lanes import Beat, Entry, Worker
from agentroom.core.nudges import Nudge, Nudges

logger = logging.getLogger(__name__)

# A job that drains a backlog gives the lane back after this long; the hard limit of a job is 30 s.
DRAIN_SECONDS = 20.0

counted: Counter[str] = Counter()

_nudges = Nudges()
_guard = threading.Lock()
_worker: Worker | None = None
_beat: Beat | None = None
_pid = 0
_ending = threading.Event()


def later(name: str, *arguments: str | int) -> None:
    """Run the job `name` soon, once the present transaction has committed. Arguments are ids, not objects."""
    after_commit(lambda: _put((name, arguments)))


def drain(step: Callable[[], int]) -> int:
    """Repeat a bounded `step` until it finds nothing more to do; how much it did. For sweeps."""
    until = time.monotonic() + DRAIN_SECONDS
    total = 0
    while count := step():
        total += count
        if _ending.is_set():
            break
        if time.monotonic() > until:
            logger.warning("a sweep found more than it can do in %d s and goes on next time", DRAIN_SECONDS)
            break
    return total


def run_waiting() -> int:
    """Run every waiting nudge here and now: for commands and tests, where no lane runs."""
    done = 0
    while (nudge := _nudges.take(0)) is not None:
        run_job(nudge)
        done += 1
    return done


def forget_waiting() -> None:
    """Drop every waiting nudge: between tests, whose rows are gone."""
    while _nudges.take(0) is not None:
        pass


def run_job(nudge: Nudge) -> None:
    """Run one job in this thread; its failure is logged and counted, and the lane lives on."""
    name, arguments = nudge
    close_old_connections()
    try:
        current_app.tasks[name].apply(args=arguments, throw=True)
        counted["jobs"] += 1
    except Exception:
        counted["failed"] += 1
        logger.exception("job %s failed", name)
    finally:
        close_old_connections()


def start() -> None:
    """Start this process's lanes, once. A server does this; commands and tests do not."""
    global _beat
    autodiscover_modules("jobs")
    entries = schedule_entries(current_app.conf.beat_schedule)
    _ending.clear()
    _start_worker()
    with _guard:
        if _beat is None:
            _beat = Beat(run_job, entries)
        _beat.start()


def ask_to_stop() -> None:
    """No new job begins; a sweep under way ends after its present step."""
    _ending.set()
    for lane in (_worker, _beat):
        if lane is not None:
            lane.ask_to_stop()


def stop(seconds: float) -> bool:
    """Let the running jobs end; whether they did within `seconds`."""
    ask_to_stop()
    until = time.monotonic() + seconds
    lanes = [lane for lane in (_worker, _beat) if lane is not None]
    ended = [lane.stop(max(0.0, until - time.monotonic())) for lane in lanes]
    if all(ended):
        _ending.clear()
    return all(ended)


def state() -> dict[str, Any]:
    """What the health page shows of this process."""
    return {
        "worker": _worker is not None and _worker.is_alive,
        "beat": _beat is not None and _beat.is_alive,
        "waiting": len(_nudges),
        "waiting_seconds": round(_nudges.oldest_seconds, 1),
        "dropped": _nudges.dropped,
        "jobs": counted["jobs"],
        "failed": counted["failed"],
        "broker_errors": counted["broker_errors"],
    }


def beat_ages() -> dict[str, float]:
    """Seconds since this process's own beat last began each job."""
    return {} if _beat is None else _beat.ages()


def schedule_entries(lines: Mapping[str, Any]) -> list[Entry]:
    """A beat schedule as plain intervals; a calendar entry is refused, for the lanes have no calendar."""
    entries = []
    for name, line in lines.items():
        seconds = _seconds(line["schedule"])
        if seconds is None:
            raise ImproperlyConfigured(f"beat schedule {name!r}: give an interval in seconds, not a crontab")
        if line["task"] not in current_app.tasks:
            raise ImproperlyConfigured(f"beat schedule {name!r}: there is no job {line['task']!r}")
        entries.append(Entry(line["task"], tuple(line.get("args", ())), seconds))
    return entries


def _seconds(interval: Any) -> float | None:
    if type(interval) is schedule:
        interval = interval.run_every
    if isinstance(interval, timedelta):
        interval = interval.total_seconds()
    return float(interval) if isinstance(interval, int | float) and interval > 0 else None


def _put(nudge: Nudge) -> None:
    _nudges.put(nudge)
    if not settings.EMBEDDED:
        _start_worker()


def _start_worker() -> None:
    global _worker, _pid
    with _guard:
        if _worker is None or _pid != os.getpid():
            _pid = os.getpid()
            _worker = Worker(run_job if settings.EMBEDDED else _send, _nudges)
        _worker.start()


def _send(nudge: Nudge) -> None:
    name, arguments = nudge
    try:
        current_app.send_task(name, args=arguments, ignore_result=True, retry=False)
        counted["sent"] += 1
    except Exception as error:
        counted["broker_errors"] += 1
        logger.warning("the broker did not take %s (%s); the sweep will", name, type(error).__name__)
