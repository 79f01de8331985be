"""One child process with its log: started, awaited, stopped, and never left behind."""

from __future__ import annotations

import contextlib
import ctypes
import os
import pwd
import random
import shutil
import signal
import socket
import subprocess
import sys
import tempfile
import time
import warnings
from collections.abc import Callable, Mapping, Sequence
from pathlib import Path
from typing import Any

START_DEADLINE = 60.0
PR_SET_PDEATHSIG = 1
_libc = ctypes.CDLL(None) if sys.platform == "linux" else None


class NotStarted(RuntimeError):
    """A server ended or stayed silent while it was being started; the text carries the end of its log."""


class Process:
    def __init__(
        self,
        name: str,
        command: Sequence[str | Path],
        *,
        log: Path,
        env: Mapping[str, str] | None = None,
        cwd: Path | None = None,
        unprivileged: bool = False,
        stop_signal: int = signal.SIGTERM,
    ) -> None:
        self.name = name
        self.command = [str(word) for word in command]
        self.log_path = log
        self.stop_signal = stop_signal
        self._env = dict(env) if env is not None else None
        self._cwd = cwd
        self._user = nobody() if unprivileged else {}
        self._popen: subprocess.Popen[bytes] | None = None

    @property
    def pid(self) -> int:
        assert self._popen is not None, f"{self.name} was never started"
        return self._popen.pid

    @property
    def running(self) -> bool:
        return self._popen is not None and self._popen.poll() is None

    @property
    def returncode(self) -> int | None:
        return self._popen.poll() if self._popen else None

    def start(self) -> Process:
        assert not self.running, f"{self.name} is running already"
        with self.log_path.open("ab") as log, warnings.catch_warnings():
            # Python 3.12 warns of any fork beside threads; the child only calls prctl and execs.
            warnings.simplefilter("ignore", DeprecationWarning)
            self._popen = subprocess.Popen(
                self.command,
                stdin=subprocess.DEVNULL,
                stdout=log,
                stderr=subprocess.STDOUT,
                env=self._env,
                cwd=self._cwd,
                start_new_session=True,
                preexec_fn=_end_with_parent if _libc else None,
                **self._user,
            )
        return self

    def wait_until(self, ready: Callable[[], bool], deadline: float = START_DEADLINE) -> None:
        end = time.monotonic() + deadline
        while not ready():
            if not self.running:
                raise NotStarted(f"{self.name} ended with {self.returncode}:\n{self.tail()}")
            if time.monotonic() > end:
                raise NotStarted(f"{self.name} was not ready within {deadline:.0f} s:\n{self.tail()}")
            time.sleep(0.02)

    def stop(self, timeout: float = 15.0) -> int | None:
        """Ask it to end and wait; a process that will not is killed with all it started."""
        if self._popen is None:
            return None
        if self.running:
            self._popen.send_signal(self.stop_signal)
            try:
                self._popen.wait(timeout)
            except subprocess.TimeoutExpired:
                self.kill()
        self._end_group()
        return self._popen.returncode

    def kill(self) -> None:
        """kill -9, with everything in the process's own group; returns when it is gone."""
        if self._popen is not None:
            self._popen.kill()
            self._popen.wait()
            self._end_group()

    def signal(self, number: int) -> None:
        os.kill(self.pid, number)

    def log(self) -> str:
        return self.log_path.read_text(errors="replace") if self.log_path.exists() else ""

    def tail(self, lines: int = 60) -> str:
        return "\n".join(self.log().splitlines()[-lines:])

    def _end_group(self) -> None:
        # Its own session, so the group holds only what this process started.
        with contextlib.suppress(ProcessLookupError, PermissionError):
            os.killpg(self.pid, signal.SIGKILL)


def free_port() -> int:
    """Below every system's ephemeral range, so that no outgoing connection takes it meanwhile."""
    chooser = random.SystemRandom()
    for _ in range(200):
        port = chooser.randrange(20000, 32000)
        with socket.socket() as probe:
            try:
                probe.bind(("127.0.0.1", port))
            except OSError:
                continue
            return port
    raise RuntimeError("no free port between 20000 and 32000 on 127.0.0.1")


def wait_for(condition: Callable[[], bool], deadline: float = START_DEADLINE) -> None:
    """Wait for what must come to be true; fails only when it never does."""
    end = time.monotonic() + deadline
    while not condition():
        assert time.monotonic() < end, f"not so within {deadline:.0f} s"
        time.sleep(0.02)


def accepts(port: int, host: str = "127.0.0.1") -> bool:
    try:
        socket.create_connection((host, port), timeout=1).close()
    except OSError:
        return False
    return True


def nobody() -> dict[str, Any]:
    """Arguments of Popen that make a server started by root run as nobody."""
    if os.geteuid() != 0:
        return {}
    account = pwd.getpwnam("nobody")
    return {"user": account.pw_uid, "group": account.pw_gid, "extra_groups": []}


def folder_for(name: str, *, unprivileged: bool = False) -> Path:
    path = Path(tempfile.mkdtemp(prefix=f"agentroom-{name}-"))
    if unprivileged and (user := nobody()):
        os.chown(path, user["user"], user["group"])
    return path


def remove(folder: Path) -> None:
    shutil.rmtree(folder, ignore_errors=True)


def readable_by_nobody(path: Path) -> bool:
    """May another user reach this file: every folder above it passable, the file itself readable?"""
    above = all(parent.stat().st_mode & 0o001 for parent in path.resolve().parents)
    return not nobody() or (above and bool(path.stat().st_mode & 0o004))


def _end_with_parent() -> None:
    # Linux only: a runner killed with -9 must not leave servers behind.
    assert _libc is not None
    _libc.prctl(PR_SET_PDEATHSIG, signal.SIGTERM)
