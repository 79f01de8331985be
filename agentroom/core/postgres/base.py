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

from agentroom.core.postgres.message import Answer, Statement, exchange


@lru_cache(maxsize=1)
def _adapters() -> AdaptersMap:
    known = AdaptersMap(get_adapters_template(settings.USE_TZ, UTC))
    known.register_loader("timestamptz", TimestamptzLoader)
    return known


class DatabaseOperations(operations.DatabaseOperations):
    def last_executed_query(self, cursor: Any, sql: str, params: Any) -> str:
        """The statement with its values, also for a cursor that sent them apart from each other."""
        if isinstance(cursor, WatchedCursor):
            return str(self.compose_sql(sql, params))
        return super().last_executed_query(cursor, sql, params)


class WatchedCursor(base.ServerBindingCursor):
    """Stands for one statement of a message while somebody counts or wraps statements."""


class DatabaseWrapper(base.DatabaseWrapper):
    ops_class = DatabaseOperations

    def __init__(self, *arguments: Any, **options: Any) -> None:
        super().__init__(*arguments, **options)
        self._begin_is_due = False

    def get_new_connection(self, conn_params: dict[str, Any]) -> Any:
        self._begin_is_due = False
        connection = super().get_new_connection(conn_params)
        pool = self.pool
        if pool is None or not _has_ended(connection):
            return connection
        connection.close()
        pool.putconn(connection)
        pool.drain()
        return super().get_new_connection(conn_params)

    def exchange(self, statements: Sequence[Statement]) -> list[Answer]:
        """Run `statements` in this order, sent in one message, with the BEGIN of a transaction only announced yet."""
        self.ensure_connection()
        if self.queries_logged or self.execute_wrappers:
            return [self._watched(*statement) for statement in statements]
        begin, self._begin_is_due = self._begin_is_due, False
        with self.wrap_database_errors:
            return exchange(self.connection, _adapters(), statements, begin=begin)

    def _watched(self, sql: str, parameters: Sequence[Any]) -> Answer:
        """Through Django's own cursor: whoever counts or wraps statements sees them there only."""
        self._begin_if_due()
        with self._prepare_cursor(WatchedCursor(self.connection)) as cursor:  # type: ignore[attr-defined, call-arg]
            cursor.execute(sql, parameters)
            return Answer(cursor.fetchall() if cursor.description else [], cursor.rowcount)

    # Transactions. psycopg stays in autocommit, and BEGIN travels with the first statement: Django would otherwise
    # switch autocommit off and on around each of them, and psycopg send the BEGIN in a message of its own.

    def _start_transaction_under_autocommit(self) -> None:
        self._begin_is_due = True

    def _set_autocommit(self, autocommit: bool) -> None:
        if self.connection.autocommit != autocommit:
            super()._set_autocommit(autocommit)  # type: ignore[misc]

    def create_cursor(self, name: str | None = None) -> Any:
        self._begin_if_due()
        return super().create_cursor(name)

    def _begin_if_due(self) -> None:
        if self._begin_is_due:
            self._begin_is_due = False
            with self.wrap_database_errors:
                self.connection.execute("BEGIN")

    def _commit(self) -> None:
        if not self._was_never_begun():
            super()._commit()  # type: ignore[misc]

    def _rollback(self) -> None:
        if not self._was_never_begun():
            super()._rollback()  # type: ignore[misc]

    def _was_never_begun(self) -> bool:
        due, self._begin_is_due = self._begin_is_due, False
        return due


def _has_ended(connection: Any) -> bool:
    # An idle connection has nothing to say: whatever can be read is the server's farewell.
    poller = select.poll()
    poller.register(connection.fileno(), select.POLLIN | select.POLLERR | select.POLLHUP)
    return bool(poller.poll(0))
