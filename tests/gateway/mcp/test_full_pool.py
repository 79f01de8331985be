"""Where every thread is taken, a call waits a moment and is then refused, never left hanging (AR-9.4)."""

from __future__ import annotations

import asyncio
import threading
from collections.abc import Iterator
from concurrent.futures import ThreadPoolExecutor

import pytest

from agentroom.core import threads
from agentroom.core.errors import Unavailable
from tests.gateway.mcp.wire import Heard, exchange


@pytest.fixture
def one_thread(monkeypatch: pytest.MonkeyPatch) -> Iterator[None]:
    pool = ThreadPoolExecutor(max_workers=1)
    monkeypatch.setattr(threads, "POOL", pool)
    monkeypatch.setattr(threads, "QUEUE_SECONDS", 0.01)
    yield
    pool.shutdown()


def test_a_call_that_finds_no_thread_is_refused_and_never_begun(one_thread: None) -> None:
    release, begun = threading.Event(), []

    async def both() -> None:
        taken = asyncio.ensure_future(threads.in_pool(release.wait))
        await asyncio.sleep(0)
        with pytest.raises(Unavailable) as refused:
            await threads.in_pool(begun.append, "second")
        assert refused.value.facts == {"retry_after_ms": 1000}
        release.set()
        assert await taken is True
        await threads.in_pool(begun.append, "third")

    asyncio.run(both())
    assert begun == ["third"]


def test_a_call_that_has_begun_is_waited_for(one_thread: None) -> None:
    release = threading.Event()

    async def slow() -> bool:
        call = asyncio.ensure_future(threads.in_pool(release.wait))
        await asyncio.wait([call], timeout=5 * threads.QUEUE_SECONDS)
        release.set()
        return await call

    assert asyncio.run(slow()) is True


def test_a_call_runs_to_its_end_although_its_caller_went_away(one_thread: None) -> None:
    begun, release, ended = threading.Event(), threading.Event(), threading.Event()

    def write() -> None:
        begun.set()
        release.wait()
        ended.set()

    async def leave() -> None:
        call = asyncio.ensure_future(threads.in_pool(write))
        while not begun.is_set():
            await asyncio.sleep(0)
        call.cancel()
        with pytest.raises(asyncio.CancelledError):
            await call
        release.set()
        await threads.in_pool(ended.wait)

    asyncio.run(leave())
    assert ended.is_set()


def test_the_endpoint_says_so(one_thread: None) -> None:
    release = threading.Event()

    async def call() -> Heard | None:
        taken = asyncio.ensure_future(threads.in_pool(release.wait))
        await asyncio.sleep(0)
        lines = [("Host", "127.0.0.1:8000"), ("Authorization", "Bearer x")]
        heard = await exchange("POST", "/mcp", "", lines, [{"type": "http.request", "body": b"{}"}])
        release.set()
        await taken
        return heard

    heard = asyncio.run(call())
    assert heard is not None
    assert (heard.status, heard.headers["retry-after"]) == (503, "1")
    assert heard.json["error"]["code"] == "UNAVAILABLE"
