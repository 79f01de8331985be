"""The end of a server: running calls get their answer, nothing that hangs holds it up, nobody is left behind."""

from __future__ import annotations

import asyncio
import os
import signal
import subprocess
import sys
from collections.abc import Iterator
from concurrent.futures import ThreadPoolExecutor
from pathlib import Path

import httpx
import pytest
import websockets

from tests.services.processes import Process, free_port, wait_for

pytestmark = pytest.mark.real_server

CHECKOUT = Path(__file__).resolve().parents[2]


class SlowServer:
    def __init__(self, folder: Path) -> None:
        self.port = free_port()
        self.url = f"http://127.0.0.1:{self.port}"
        self.env = {
            **{name: value for name, value in os.environ.items() if name != "DATABASE_URL"},
            "AGENTROOM_PROFILE": "embedded",
            "AGENTROOM_DATA": str(folder),
            "PORT": str(self.port),
        }
        command = [sys.executable, "-m", "tests.runtime.slow_server"]
        self.process = Process("slow", command, log=folder / "slow.log", env=self.env, cwd=CHECKOUT)
        self.process.start().wait_until(lambda: "serving\n" in self.process.log())

    def get(self, path: str) -> httpx.Response:
        return httpx.get(self.url + path, timeout=60, trust_env=False)

    def end(self, number: int = signal.SIGTERM) -> int | None:
        self.process.signal(number)
        wait_for(lambda: not self.process.running, 40)
        return self.process.returncode


@pytest.fixture
def slow(tmp_path) -> Iterator[SlowServer]:
    server = SlowServer(tmp_path)
    yield server
    server.process.stop()


@pytest.mark.parametrize("number", [signal.SIGINT, signal.SIGTERM])
def test_a_call_under_way_still_gets_its_answer(slow, number):
    with ThreadPoolExecutor(1) as thread:
        call = thread.submit(slow.get, "/sleep/1")
        wait_for(lambda: "serving /sleep/1" in slow.process.log())
        assert slow.end(number) == 0
        assert call.result().text == "done"


def test_neither_a_hung_call_nor_a_hung_job_holds_up_the_end(slow):
    assert slow.get("/job").text == "done"
    wait_for(lambda: "job hangs" in slow.process.log())
    with ThreadPoolExecutor(1) as thread:
        call = thread.submit(slow.get, "/sleep/600")
        wait_for(lambda: "serving /sleep/600" in slow.process.log())
        assert slow.end() == 0
        answer = call.result()
    assert (answer.status_code, answer.json()["error"]["code"]) == (503, "UNAVAILABLE")


def test_a_second_signal_is_no_harm(slow):
    with ThreadPoolExecutor(1) as thread:
        thread.submit(slow.get, "/sleep/600")
        wait_for(lambda: "serving /sleep/600" in slow.process.log())
        slow.process.signal(signal.SIGTERM)
        assert slow.end() == 0


def test_an_open_socket_is_told_that_the_server_ends(slow):
    async def scenario() -> int | None:
        async with websockets.connect(slow.url.replace("http", "ws") + "/ws/") as socket:
            slow.process.signal(signal.SIGTERM)
            await asyncio.wait_for(socket.wait_closed(), 40)
            return socket.close_code

    assert asyncio.run(scenario()) in {1001, 1012}
    wait_for(lambda: not slow.process.running, 40)


def test_a_server_under_make_ends_when_make_is_killed(tmp_path):
    port = free_port()
    script = "import subprocess, sys; p = subprocess.Popen(sys.argv[1:]); print(p.pid, flush=True); p.wait()"
    server = [sys.executable, "-m", "tests.runtime.slow_server", "--end-with-parent"]
    env = {**os.environ, "AGENTROOM_DATA": str(tmp_path), "AGENTROOM_PROFILE": "embedded", "PORT": str(port)}
    with (tmp_path / "log").open("wb") as log:
        parent = subprocess.Popen(
            [sys.executable, "-c", script, *server], cwd=CHECKOUT, env=env, stdout=subprocess.PIPE, stderr=log
        )
    assert parent.stdout is not None
    pid = int(parent.stdout.readline())
    try:
        wait_for(lambda: _answers(port))
        parent.kill()
        parent.wait()
        wait_for(lambda: not _exists(pid), 40)
    finally:
        parent.stdout.close()
        if _exists(pid):
            os.kill(pid, signal.SIGKILL)


def _answers(port: int) -> bool:
    try:
        return httpx.get(f"http://127.0.0.1:{port}/", trust_env=False).text == "done"
    except httpx.TransportError:
        return False


def _exists(pid: int) -> bool:
    try:
        os.kill(pid, 0)
    except ProcessLookupError:
        return False
    stat = Path(f"/proc/{pid}/stat")
    # Without a reaper in this container the orphan stays a zombie, which is as gone as can be seen.
    return not (stat.exists() and stat.read_text().rpartition(")")[2].split()[0] == "Z")
