"""The environment of the in-process suite: the database it was asked for, and nothing of the user's."""

from __future__ import annotations

import os
from pathlib import Path

from tests.services.postgres import Postgres
from tests.services.processes import folder_for, remove

# Where the tests may make databases and keys of their own: a throw-away server, or the one the user named.
DATABASE_SERVER = "AGENTROOM_TEST_DATABASE_SERVER"
NAMED_REDIS = "AGENTROOM_TEST_REDIS"
PRODUCT = ("AGENTROOM_BASE_URL", "AGENTROOM_SECRET_KEY", "AGENTROOM_KEY_SECRETS", "EMAIL_URL", "PORT", "HOST")


class Surroundings:
    """Made once in the first process; xdist's workers inherit the variables and add a folder of their own."""

    def __init__(self) -> None:
        self._postgres: Postgres | None = None
        self._data: Path | None = None

    def prepare(self) -> None:
        self._data = folder_for("data")
        os.environ["AGENTROOM_DATA"] = str(self._data)
        if "PYTEST_XDIST_WORKER" in os.environ:
            return
        for name in PRODUCT:
            os.environ.pop(name, None)
        os.environ["AGENTROOM_PROFILE"] = "embedded"
        os.environ[NAMED_REDIS] = os.environ.pop("REDIS_URL", "")
        self._choose_database(os.environ.get("AGENTROOM_TEST_DB", "").strip() or "postgres")

    def end(self) -> None:
        if self._postgres is not None:
            self._postgres.stop()
        if self._data is not None:
            remove(self._data)

    def _choose_database(self, kind: str) -> None:
        named = os.environ.pop("DATABASE_URL", "").strip()
        if kind == "sqlite":
            os.environ[DATABASE_SERVER] = named
        elif kind == "postgres":
            server = named or self._throw_away()
            os.environ[DATABASE_SERVER] = server
            os.environ["DATABASE_URL"] = server
        else:
            raise SystemExit(f"AGENTROOM_TEST_DB is {kind!r}: it is postgres (the default) or sqlite")

    def _throw_away(self) -> str:
        self._postgres = Postgres().start()
        return self._postgres.url
