"""Emptying the tables between transactional tests, although some of them refuse DELETE.

PostgreSQL empties by TRUNCATE, which those triggers let pass. SQLite knows DELETE only, so a flush drops the
triggers and makes them again in its own transaction.
"""

from __future__ import annotations

from collections.abc import Iterator
from typing import Any

import pytest
from django.db import connection
from django.db.backends.sqlite3.base import DatabaseOperations


@pytest.fixture(scope="session", autouse=True)
def flushing_lifts_triggers() -> Iterator[None]:
    flush = DatabaseOperations.sql_flush

    def sql_flush(self: DatabaseOperations, *arguments: Any, **options: Any) -> list[str]:
        with connection.cursor() as cursor:
            cursor.execute(
                "SELECT name, sql FROM sqlite_master WHERE type = 'trigger' AND name LIKE '%\\_no\\_delete' ESCAPE '\\'"
            )
            triggers = cursor.fetchall()
        drops = [f"DROP TRIGGER {name}" for name, _ in triggers]
        return [*drops, *flush(self, *arguments, **options), *(sql for _, sql in triggers)]

    with pytest.MonkeyPatch.context() as patch:
        patch.setattr(DatabaseOperations, "sql_flush", sql_flush)
        yield
