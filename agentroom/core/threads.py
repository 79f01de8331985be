"""The one way from async code into the ORM: a sized pool whose threads return their connection each call."""

from __future__ import annotations

from collections.abc import Callable
from concurrent.futures import ThreadPoolExecutor
from typing import ParamSpec, TypeVar

from channels.db import database_sync_to_async
from django.conf import settings

Arguments = ParamSpec("Arguments")
Result = TypeVar("Result")

# The database pool has room for all of them; raw `sync_to_async` kept its slot and starved the rest (F15).
POOL = ThreadPoolExecutor(max_workers=settings.AGENTROOM_THREADS, thread_name_prefix="operation")


async def in_pool(
    function: Callable[Arguments, Result], *args: Arguments.args, **kwargs: Arguments.kwargs
) -> Result:
    """Call `function` on a pool thread. It runs to its end even when the caller has gone away."""
    call = database_sync_to_async(function, thread_sensitive=False, executor=POOL)
    result: Result = await call(*args, **kwargs)
    return result
