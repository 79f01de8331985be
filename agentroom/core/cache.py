"""Django's cache where Redis is: counted for all processes together; with Redis gone, each counts for itself.

The sign-in library keeps its counts of attempts here, and the codes that were used once.
"""

from __future__ import annotations

import functools
import json
import logging
import time
from collections.abc import Callable
from typing import Any, TypeVar

import redis
from django.core.cache.backends.base import DEFAULT_TIMEOUT, BaseCache
from django.core.cache.backends.locmem import LocMemCache
from django.core.cache.backends.redis import RedisCache
from redis.backoff import NoBackoff
from redis.retry import Retry

logger = logging.getLogger(__name__)

TIMEOUT_SECONDS = 0.25
PAUSE_SECONDS = 5.0

Found = TypeVar("Found")


class Json:
    """What is kept is data and nothing else: whoever can write to Redis must not be able to run code here (TM42)."""

    def dumps(self, value: Any) -> bytes:
        return json.dumps(value).encode()

    def loads(self, stored: bytes) -> Any:
        return json.loads(stored)


class SharedCache(BaseCache):
    """`LOCATION` is the address of Redis. Never raises because of it, and asks it again some seconds later."""

    def __init__(self, location: str, params: dict[str, Any]) -> None:
        super().__init__(params)
        # Django makes one of us for each thread and request; what we keep is the process's.
        self._shared = _shared(location, self.key_prefix)
        self._own = LocMemCache("while Redis is away", params)

    def add(self, key: str, value: Any, timeout: Any = DEFAULT_TIMEOUT, version: int | None = None) -> bool:
        return self._ask(lambda cache: cache.add(key, value, timeout, version))

    def get(self, key: str, default: Any = None, version: int | None = None) -> Any:
        return self._ask(lambda cache: cache.get(key, default, version))

    def set(self, key: str, value: Any, timeout: Any = DEFAULT_TIMEOUT, version: int | None = None) -> None:
        self._ask(lambda cache: cache.set(key, value, timeout, version))

    def touch(self, key: str, timeout: Any = DEFAULT_TIMEOUT, version: int | None = None) -> bool:
        return self._ask(lambda cache: cache.touch(key, timeout, version))

    def delete(self, key: str, version: int | None = None) -> bool:
        return self._ask(lambda cache: cache.delete(key, version))

    def clear(self) -> None:
        """Forget what this process keeps. Redis is shared with others: what is there expires."""
        self._own.clear()

    def _ask(self, question: Callable[[BaseCache], Found]) -> Found:
        global _paused_until
        if time.monotonic() >= _paused_until:
            try:
                return question(self._shared)
            except redis.RedisError as error:
                _paused_until = time.monotonic() + PAUSE_SECONDS
                logger.warning("sign-in attempts are counted in this process for now (%s)", type(error).__name__)
            except ValueError:
                logger.warning("something in Redis below our prefix is not ours; it is not read")
        return question(self._own)


_paused_until = 0.0


@functools.cache
def _shared(location: str, key_prefix: str) -> RedisCache:
    options = {
        "serializer": Json,
        "socket_timeout": TIMEOUT_SECONDS,
        "socket_connect_timeout": TIMEOUT_SECONDS,
        "retry": Retry(NoBackoff(), 0),
    }
    return RedisCache(location, {"KEY_PREFIX": key_prefix, "OPTIONS": options})
