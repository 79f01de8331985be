"""Which threads touch the database: a sized pool for async code, and a fixed set of threads for Django's views."""

from __future__ import annotations

import asyncio
from collections.abc import Awaitable, Callable
from concurrent.futures import ThreadPoolExecutor
from functools import partial
from threading import Lock
from typing import Any, Generic, ParamSpec, TypeVar

from asgiref.sync import ThreadSensitiveContext
from django.conf import settings
from django.db import close_old_connections

from agentroom.core.errors import Unavailable

Arguments = ParamSpec("Arguments")
Result = TypeVar("Result")

# The database pool has room for all of them; raw `sync_to_async` kept its slot and starved the rest (F15).
POOL = ThreadPoolExecutor(max_workers=settings.AGENTROOM_THREADS, thread_name_prefix="operation")


# How long a call waits for a free thread before it is refused instead (AR-9.4).
QUEUE_SECONDS = 2.0


async def in_pool(function: Callable[Arguments, Result], *args: Arguments.args, **kwargs: Arguments.kwargs) -> Result:
    """Call `function` on a pool thread. Once begun it runs to its end, even when the caller has gone away.

    While every thread is taken it waits `QUEUE_SECONDS`; after that it is never begun. Raises `Unavailable` then.
    """
    loop = asyncio.get_running_loop()
    job: _Job[Result] = _Job(partial(function, *args, **kwargs), loop)
    POOL.submit(job.run)
    patience = loop.call_later(QUEUE_SECONDS, job.give_up)
    try:
        return await job.answer
    finally:
        patience.cancel()


class _Job(Generic[Result]):
    """A call that either begins or is given up, never both; its answer comes back to the event loop.

    By hand, because each of the ready-made steps between a thread and a coroutine costs as much as a query.
    """

    def __init__(self, function: Callable[[], Result], loop: asyncio.AbstractEventLoop) -> None:
        self._function = function
        self._decided = Lock()
        self._loop = loop
        self.answer: asyncio.Future[Result] = loop.create_future()

    def run(self) -> None:
        """On the pool's thread, with the database connection borrowed for the call only."""
        if not self._decided.acquire(blocking=False):
            return
        close_old_connections()
        try:
            result = self._function()
        except BaseException as error:
            self._loop.call_soon_threadsafe(self._fail, error)
        else:
            self._loop.call_soon_threadsafe(self._settle, result)
        finally:
            close_old_connections()

    def give_up(self) -> None:
        """On the event loop, when no thread has taken the call in time."""
        if self._decided.acquire(blocking=False):
            self._fail(Unavailable("The server is busy. Wait a second, then repeat the call.", retry_after_ms=1000))

    def _settle(self, result: Result) -> None:
        if not self.answer.done():  # the caller may have gone away
            self.answer.set_result(result)

    def _fail(self, error: BaseException) -> None:
        if not self.answer.done():
            self.answer.set_exception(error)


class ViewThreads:
    """Runs an ASGI application's synchronous parts on a few lasting threads instead of one new thread a request.

    A lasting thread keeps its SQLite connection, and connections to PostgreSQL stay within the pool. A request
    takes the thread with the fewest requests; one that only waits (a socket, a poll) does not occupy it.
    """

    def __init__(self, application: Callable[[Any, Any, Any], Awaitable[None]]) -> None:
        self._application = application
        self._load: dict[ThreadPoolExecutor, int] = {
            ThreadPoolExecutor(max_workers=1, thread_name_prefix=f"view-{number}"): 0
            for number in range(settings.AGENTROOM_VIEW_THREADS)
        }

    async def __call__(self, scope: Any, receive: Any, send: Any) -> None:
        thread = min(self._load, key=self._load.__getitem__)
        self._load[thread] += 1
        try:
            async with ThreadSensitiveContext(executor=thread):
                await self._application(scope, receive, send)
        finally:
            self._load[thread] -= 1
