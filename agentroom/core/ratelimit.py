"""Fixed-window budgets per actor: counted in Redis where configured, else (or with Redis gone) in this process."""

from __future__ import annotations

import functools
import logging
import threading
import time

import redis
from django.conf import settings
from redis.backoff import NoBackoff
from redis.retry import Retry

from agentroom.core.errors import RateLimited
from agentroom.core.limits import Bucket

logger = logging.getLogger(__name__)

REDIS_TIMEOUT_SECONDS = 0.05
REDIS_PAUSE_SECONDS = 5.0


def hit(actor_key: str, bucket: Bucket) -> None:
    """Count one call. Raises `RateLimited` with `retry_after_ms` once the window's budget is used up."""
    if not settings.RATE_LIMITS_ENABLED:
        return
    now = time.time()  # a token window, not a business decision: the application clock is right here (I-40)
    window = int(now // bucket.seconds)
    key = f"{actor_key}:{bucket.label}:{window}"
    count = _shared_count(key, bucket.seconds) or _local.count(key, window)
    if count > bucket.calls:
        retry_after_ms = int(((window + 1) * bucket.seconds - now) * 1000) + 1
        raise RateLimited(
            f"Over {bucket.calls} {bucket.label} calls in {bucket.seconds} seconds. "
            f"Wait {retry_after_ms} ms, then go on.",
            retry_after_ms=retry_after_ms,
        )


class _LocalWindows:
    """Counters of this process; a window's counters are dropped when a later window is first counted."""

    def __init__(self) -> None:
        self._counts: dict[str, tuple[int, int]] = {}
        self._lock = threading.Lock()
        self._newest = 0

    def count(self, key: str, window: int) -> int:
        with self._lock:
            if window > self._newest:
                self._newest = window
                self._counts = {kept: value for kept, value in self._counts.items() if value[0] >= window}
            count = self._counts.get(key, (window, 0))[1] + 1
            self._counts[key] = (window, count)
            return count


_local = _LocalWindows()
_paused_until = 0.0


def _shared_count(key: str, seconds: int) -> int | None:
    global _paused_until
    if not settings.REDIS_URL or time.monotonic() < _paused_until:
        return None
    try:
        pipeline = _client(settings.REDIS_URL).pipeline(transaction=False)
        name = f"{settings.REDIS_PREFIX}rate:{key}"
        pipeline.incr(name)
        pipeline.expire(name, 2 * seconds)
        count, _ = pipeline.execute()
        return int(count)
    except redis.RedisError:
        _paused_until = time.monotonic() + REDIS_PAUSE_SECONDS
        logger.warning("rate windows are counted in this process for now: Redis did not answer")
        return None


@functools.cache
def _client(url: str) -> redis.Redis:
    return redis.Redis.from_url(
        url,
        socket_timeout=REDIS_TIMEOUT_SECONDS,
        socket_connect_timeout=REDIS_TIMEOUT_SECONDS,
        retry=Retry(NoBackoff(), 0),
    )
