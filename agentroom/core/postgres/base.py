"""Django's PostgreSQL backend, which never hands out a pooled connection the server has hung up on.

After a restart of PostgreSQL every idle connection would fail once. Asking each (`SELECT 1`) costs a round trip and,
with several stale ones, the pool's whole time-out; looking whether the socket has ended costs microseconds.
"""

from __future__ import annotations

import select
from collections.abc import Sequence
from datetime import UTC
from functools import lru_cache
from typing import Any

from django.conf import settings
from django.db.backends.postgresql import base, operations
from django.db.backends.postgresql.psycopg_any import get_adapters_template
from psycopg.adapt import AdaptersMap
from psycopg.types.datetime import TimestamptzLoader

from agentroom.core.postgres.message import Statement, exchange

# Plans kept by one connection; more than there are distinct statements that ask for one.
PLANS = 300


class PlannedCursor(base.ServerBindingCursor):
    """Binds on the server, and reads times by psycopg's own compiled loader: our connections speak UTC."""

    @property
    def adapters(self) -> AdaptersMap:
        return _adapters()


@lru_cache(maxsize=1)
def _adapters() -> AdaptersMap:
    known = AdaptersMap(get_adapters_template(settings.USE_TZ, UTC))
    known.register_loader("timestamptz", TimestamptzLoader)
    return known


class DatabaseOperations(operations.DatabaseOperations):
    def last_executed_query(self, cursor: Any, sql: str, params: Any) -> str:
        """The statement with its values, also for a cursor that sent them apart from each other."""
        if isinstance(cursor, PlannedCursor):
            return str(self.compose_sql(sql, params))
        return super().last_executed_query(cursor, sql, params)


class DatabaseWrapper(base.DatabaseWrapper):
    ops_class = DatabaseOperations

    def get_new_connection(self, conn_params: dict[str, Any]) -> Any:
        connection = super().get_new_connection(conn_params)
        pool = self.pool
        if pool is None or not _has_ended(connection):
            return connection
        connection.close()
        pool.putconn(connection)
        pool.drain()
        return super().get_new_connection(conn_params)

    def exchange(self, statements: Sequence[Statement]) -> list[Any]:
        """Run `statements` in this order, sent in one message; their cursors, to fetch from.

        The server plans each once a connection: planning one costs more than running it. (Django's own cursors put
        the values into the text, so each execution is planned anew.)
        """
        self.ensure_connection()
        self.connection.prepare_threshold, self.connection.prepared_max = 0, PLANS
        with self.wrap_database_errors:
            cursors: list[Any] = [PlannedCursor(self.connection) for _ in statements]  # type: ignore[call-arg]
            if self.queries_logged or self.execute_wrappers:
                return self._watched(cursors, statements)
            exchange(self.connection, cursors, statements)
            return cursors

    def _watched(self, cursors: list[Any], statements: Sequence[Statement]) -> list[Any]:
        """One by one through Django's wrapper: whoever counts or wraps statements sees them there only."""
        wrapped = [self._prepare_cursor(cursor) for cursor in cursors]  # type: ignore[attr-defined]
        for cursor, (sql, parameters) in zip(wrapped, statements, strict=True):
            cursor.execute(sql, parameters)
        return wrapped


def _has_ended(connection: Any) -> bool:
    # An idle connection has nothing to say: whatever can be read is the server's farewell.
    poller = select.poll()
    poller.register(connection.fileno(), select.POLLIN | select.POLLERR | select.POLLHUP)
    return bool(poller.poll(0))
