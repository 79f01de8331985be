"""An agent as its owner would run one: the official MCP client, over HTTP, against a real server."""

from __future__ import annotations

import asyncio
import json
import threading
from collections.abc import Coroutine
from typing import Any

import httpx2
from mcp import Client
from mcp.client.streamable_http import streamable_http_client

ANSWER_SECONDS = 60


class Refused(Exception):
    """A tool answered with its public error."""

    def __init__(self, error: dict[str, Any]) -> None:
        super().__init__(f"{error['code']}: {error['message']}")
        self.code: str = error["code"]
        self.error = error


class Agent:
    """One connected agent. `mode` is the client's: `auto` for the newest revision, `legacy` for the handshake."""

    def __init__(self, url: str, token: str, *, mode: str = "auto") -> None:
        self._loop = asyncio.new_event_loop()
        self._thread = threading.Thread(target=self._loop.run_forever, daemon=True)
        self._thread.start()
        self._closing = asyncio.Event()
        self._session = self._submit(self._connect(url, token, mode)).result(ANSWER_SECONDS)

    def call(self, tool: str, **arguments: Any) -> dict[str, Any]:
        """The tool's answer. Raises `Refused` for a public error. Both places of a result must agree."""
        result = self._submit(self._client.call_tool(tool, arguments)).result(ANSWER_SECONDS)
        text: dict[str, Any] = json.loads(result.content[0].text)
        assert text == result.structured_content
        if result.is_error:
            raise Refused(text["error"])
        return text

    def tools(self) -> list[str]:
        listed = self._submit(self._client.list_tools()).result(ANSWER_SECONDS)
        return [tool.name for tool in listed.tools]

    def close(self) -> None:
        self._loop.call_soon_threadsafe(self._closing.set)
        self._session.result(ANSWER_SECONDS)
        self._loop.call_soon_threadsafe(self._loop.stop)
        self._thread.join(ANSWER_SECONDS)
        self._loop.close()

    def _submit(self, work: Coroutine[Any, Any, Any]) -> Any:
        return asyncio.run_coroutine_threadsafe(work, self._loop)

    async def _connect(self, url: str, token: str, mode: str) -> Any:
        """Open the session in a task of its own, which must also be the one that closes it."""
        ready: asyncio.Future[None] = self._loop.create_future()

        async def live() -> None:
            headers = {"Authorization": f"Bearer {token}"}
            async with (
                httpx2.AsyncClient(headers=headers, timeout=ANSWER_SECONDS, trust_env=False) as http,
                Client(streamable_http_client(url, http_client=http), mode=mode) as self._client,
            ):
                ready.set_result(None)
                await self._closing.wait()

        task = asyncio.ensure_future(live())
        await asyncio.wait([task, ready], return_when=asyncio.FIRST_COMPLETED)
        if task.done():
            await task
        future: Any = asyncio.run_coroutine_threadsafe(_outcome(task), self._loop)
        return future


async def _outcome(task: asyncio.Task[None]) -> None:
    await task
