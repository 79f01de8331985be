"""Which threads touch the database: few, lasting, and none keeps a connection it does not use."""

from __future__ import annotations

import asyncio
import threading
from typing import Any

import pytest
from asgiref.sync import sync_to_async
from django.conf import settings
from django.db import connection

from agentroom.core.threads import ViewThreads, in_pool

pytestmark = pytest.mark.django_db(transaction=True)


def asked(count: int, view) -> list[Any]:
    """Run `count` requests at once, each calling the synchronous `view` the way Django does."""
    got: list[Any] = []

    async def application(scope, receive, send) -> None:
        got.append(await sync_to_async(view)())

    async def scenario() -> None:
        views = ViewThreads(application)
        await asyncio.gather(*(views({}, None, None) for _ in range(count)))

    asyncio.run(scenario())
    return got


def test_many_requests_share_a_few_threads():
    names = asked(50, lambda: threading.current_thread().name)
    assert len(names) == 50
    assert len(set(names)) == settings.AGENTROOM_VIEW_THREADS


def test_a_slow_view_holds_up_only_those_that_share_its_thread():
    hold, running = threading.Event(), threading.Semaphore(0)
    done: list[int] = []

    async def application(scope, receive, send) -> None:
        await sync_to_async(scope["view"])()

    def slow() -> None:
        running.release()
        hold.wait(30)

    async def scenario() -> None:
        views = ViewThreads(application)
        first = asyncio.create_task(views({"view": slow}, None, None))
        await asyncio.to_thread(running.acquire)
        for number in range(20):
            await asyncio.wait_for(views({"view": lambda number=number: done.append(number)}, None, None), 30)
        hold.set()
        await first

    asyncio.run(scenario())
    assert done == list(range(20))


def test_a_request_that_only_waits_occupies_no_thread():
    async def application(scope, receive, send) -> None:
        if scope["waits"]:
            await scope["until"].wait()
        else:
            await sync_to_async(threading.get_ident)()

    async def scenario() -> None:
        views, until = ViewThreads(application), asyncio.Event()
        waiting = [asyncio.create_task(views({"waits": True, "until": until}, None, None)) for _ in range(100)]
        await asyncio.sleep(0)
        for _ in range(20):
            await asyncio.wait_for(views({"waits": False}, None, None), 30)
        until.set()
        await asyncio.gather(*waiting)

    asyncio.run(scenario())


def test_pool_calls_give_their_connections_back():
    def query() -> bool:
        with connection.cursor() as cursor:
            cursor.execute("SELECT 1")
        return True

    def let_go() -> bool:
        connection.close()
        return True

    async def scenario() -> list[bool]:
        got = await asyncio.gather(*(in_pool(query) for _ in range(100)))
        await asyncio.gather(*(in_pool(let_go) for _ in range(50)))
        return got

    assert asyncio.run(scenario()) == [True] * 100


def test_a_pool_call_hands_on_what_it_raises():
    def fails() -> None:
        raise KeyError("x")

    with pytest.raises(KeyError):
        asyncio.run(in_pool(fails))
