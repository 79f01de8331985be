"""The only clock that decides anything: the database's, read in a statement of its own after locks are held.

PostgreSQL's `now()` is the start of the statement or transaction, which lies before a lock wait (reliability F3).
"""

from __future__ import annotations

from contextlib import contextmanager
from datetime import UTC, datetime, timedelta
from typing import TYPE_CHECKING, Any

from django.conf import settings
from django.db import connection
from django.db.models import DateTimeField, Func

from agentroom.core.prepared import Ask, Row, in_one_trip

if TYPE_CHECKING:
    from collections.abc import Iterator

_offset = timedelta()

_SQL = {
    "postgresql": "SELECT clock_timestamp()",
    "sqlite": "SELECT strftime('%Y-%m-%dT%H:%M:%f', 'now')",
}


def db_now() -> datetime:
    """The database's present instant, aware, UTC."""
    return in_one_trip(asking_now())[0]  # type: ignore[no-any-return]


def asking_now() -> Ask:
    """`db_now()` as the last of several statements that travel together: the instant at which the others had ended."""
    return Ask(_SQL[connection.vendor], (), _instant)


def _instant(rows: list[Row]) -> datetime:
    value = rows[0][0]
    instant = datetime.fromisoformat(value).replace(tzinfo=UTC) if isinstance(value, str) else value
    return instant.astimezone(UTC) + _shift()


class DbNow(Func):
    """The same clock inside the statement of a read, `ago` earlier. Nothing is decided by it: a write asks `db_now`.

    A query that is compiled once takes `shift()` as a parameter of each run; any other needs not name it.
    """

    output_field = DateTimeField()

    def __init__(self, ago: timedelta = timedelta(), *, shift: str | None = None) -> None:
        super().__init__()
        self._ago, self._shift = _interval(-ago), shift

    def as_postgresql(self, compiler: Any, connection: Any, **context: Any) -> tuple[str, list[Any]]:
        return "(clock_timestamp() + %s::interval + %s::interval)", [self._shift or shift(), self._ago]

    def as_sqlite(self, compiler: Any, connection: Any, **context: Any) -> tuple[str, tuple[str | int, ...]]:
        return "strftime('%%Y-%%m-%%d %%H:%%M:%%f', 'now', %s, %s)", (self._shift or shift(), self._ago)


def shift() -> str:
    """How far this process's view of the database clock is moved: nothing, but for tests."""
    return _interval(_shift())


def _interval(delta: timedelta) -> str:
    """An interval in the words of both databases."""
    return f"{delta.total_seconds():+.3f} seconds"


def _shift() -> timedelta:
    return _offset + timedelta(seconds=settings.CLOCK_OFFSET_SECONDS)


@contextmanager
def shifted(delta: timedelta) -> Iterator[None]:
    """Move this process's view of the database clock; for tests of expiry without waiting."""
    global _offset
    _offset += delta
    try:
        yield
    finally:
        _offset -= delta


def rfc3339(instant: datetime) -> str:
    """UTC with `Z` and milliseconds: the form of every time on the wire."""
    return instant.astimezone(UTC).isoformat(timespec="milliseconds").replace("+00:00", "Z")
