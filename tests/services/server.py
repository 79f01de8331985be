"""The product as real processes: the embedded profile in one, the full profile in several."""

from __future__ import annotations

import json
import os
import secrets
import subprocess
import sys
from collections.abc import Mapping
from pathlib import Path
from typing import Any

import httpx

from tests.services import postgres
from tests.services.processes import Process, folder_for, free_port, remove

CHECKOUT = Path(__file__).resolve().parents[2]
# What the machine of the tests may say about the product must not reach a server of theirs.
OURS = ("AGENTROOM_", "DATABASE_URL", "REDIS_URL", "EMAIL_URL", "DJANGO_", "PORT", "HOST")


class Server:
    """What both profiles share: an address, an environment, management commands, logs, an end."""

    def __init__(self, name: str, extra: Mapping[str, str]) -> None:
        self.folder = folder_for(name)
        self.port = free_port()
        self.url = f"http://127.0.0.1:{self.port}"
        self.env = {
            **{key: value for key, value in os.environ.items() if not key.startswith(OURS)},
            "AGENTROOM_DATA": str(self.folder / "data"),
            "AGENTROOM_BASE_URL": self.url,
            "HOST": "127.0.0.1",
            "PORT": str(self.port),
            "PYTHONUNBUFFERED": "1",
            **extra,
        }
        self.processes: dict[str, Process] = {}

    def manage(self, *arguments: str) -> str:
        """Run a management command beside the server and give what it printed."""
        done = subprocess.run(
            [sys.executable, "manage.py", *arguments],
            cwd=CHECKOUT,
            env=self.env,
            capture_output=True,
            text=True,
        )
        if done.returncode:
            raise RuntimeError(f"manage.py {' '.join(arguments)} failed:\n{done.stdout}{done.stderr}")
        return done.stdout

    def demo(self, *arguments: str) -> dict[str, Any]:
        answer: dict[str, Any] = json.loads(self.manage("demo", "--json", *arguments))
        return answer

    def log(self) -> str:
        return "\n".join(process.log() for process in self.processes.values())

    def stop(self) -> None:
        for process in reversed(self.processes.values()):
            process.stop()
        remove(self.folder)

    def _run(self, name: str, *command: str | Path) -> Process:
        process = Process(name, [sys.executable, *command], log=self.folder / f"{name}.log", env=self.env, cwd=CHECKOUT)
        self.processes[name] = process
        return process.start()

    def _answers(self) -> bool:
        try:
            return httpx.get(f"{self.url}/healthz", timeout=2, trust_env=False).status_code == 200
        except httpx.TransportError:
            return False


class EmbeddedServer(Server):
    """`manage.py serve` on SQLite: everything in one process."""

    def __init__(self, **extra: str) -> None:
        super().__init__("embedded", {"AGENTROOM_PROFILE": "embedded", **extra})

    def start(self) -> EmbeddedServer:
        self._run("serve", "manage.py", "serve").wait_until(self._answers)
        return self

    def restart(self) -> None:
        """Start again what was stopped or killed, on the same data and address."""
        self.processes["serve"].start().wait_until(self._answers)


class FullServer(Server):
    """uvicorn workers, a Celery worker and beat, on a PostgreSQL database and a Redis prefix of its own."""

    def __init__(self, database_server: str, redis_url: str, *, workers: int = 2, **extra: str) -> None:
        self._database_server = database_server
        self._name = f"agentroom_{secrets.token_hex(6)}"
        self._workers = workers
        super().__init__(
            "full",
            {
                "AGENTROOM_PROFILE": "full",
                "AGENTROOM_SECRET_KEY": secrets.token_urlsafe(48),
                "DATABASE_URL": postgres.create_database(database_server, self._name),
                "REDIS_URL": redis_url,
                "AGENTROOM_REDIS_PREFIX": self._name,
                **extra,
            },
        )

    def start(self) -> FullServer:
        self.manage("migrate", "--no-input")
        web = self._run("web", "-m", "uvicorn", "agentroom.asgi:application", *self._web_options())
        self._run("worker", "-m", "celery", "-A", "agentroom", "worker", "-P", "threads", "-c", "2", "-l", "INFO")
        schedule = str(self.folder / "beat-schedule")
        self._run("beat", "-m", "celery", "-A", "agentroom", "beat", "-s", schedule, "-l", "INFO")
        web.wait_until(self._answers)
        return self

    def stop(self) -> None:
        super().stop()
        postgres.drop_database(self._database_server, self._name)

    def _web_options(self) -> list[str]:
        return [
            f"--port={self.port}",
            "--host=127.0.0.1",
            f"--workers={self._workers}",
            "--no-access-log",
            "--no-proxy-headers",
            "--timeout-graceful-shutdown=5",
        ]
