"""Several statements to PostgreSQL in one message, and all their answers in one.

psycopg's own pipeline flushes and polls once a statement, and waits for a BEGIN before it sends what follows; on a busy
machine each of these wakes the server's process up once more. Here everything is put into the buffer first, BEGIN and
the closing Sync included. Built on the internals of the pinned psycopg, which prepares the statements as ever.
"""

from __future__ import annotations

import contextlib
from collections.abc import Generator, Sequence
from typing import Any

from psycopg import Connection, Cursor, OperationalError
from psycopg._pipeline import Pipeline
from psycopg.adapt import Transformer
from psycopg.generators import send
from psycopg.pq import ConnStatus, TransactionStatus

Statement = tuple[str, Sequence[Any]]  # SQL and its parameters


def exchange(link: Connection[Any], cursors: Sequence[Cursor[Any]], statements: Sequence[Statement]) -> None:
    """Run each statement on its own fresh cursor, in this order; the cursors then hold the results.

    After a statement that fails none of the later ones is run, and its error is raised.
    """
    with link.lock:
        link._check_connection_ok()
        link.wait(_exchanged(link, cursors, statements))


def _exchanged(
    link: Connection[Any], cursors: Sequence[Cursor[Any]], statements: Sequence[Statement]
) -> Generator[Any, Any, None]:
    link.pgconn.enter_pipeline_mode()
    pipeline = link._pipeline = Pipeline(link, _no_lock=True)
    try:
        yield from _enqueued(link, cursors, statements)
        pipeline._enqueue_sync()
        while pipeline.command_queue:
            pipeline.command_queue.popleft()()
        yield from send(link.pgconn)
        yield from pipeline._fetch_gen(flush=False)
    except BaseException:
        _leave_pipeline_mode(link, or_close=True)
        raise
    _leave_pipeline_mode(link)
    yield from link._prepared.maintain_gen(link)


def _enqueued(
    link: Connection[Any], cursors: Sequence[Cursor[Any]], statements: Sequence[Statement]
) -> Generator[Any, Any, None]:
    """What `Cursor.execute` does in pipeline mode, without sending anything yet."""
    if not link.autocommit and link.pgconn.transaction_status == TransactionStatus.IDLE:
        yield from link._exec_command(link._get_tx_start_command())
    for cursor, (sql, parameters) in zip(cursors, statements, strict=True):
        cursor._tx = Transformer(cursor)
        yield from cursor._maybe_prepare_gen(cursor._convert_query(sql, parameters))


def _leave_pipeline_mode(link: Connection[Any], *, or_close: bool = False) -> None:
    link._pipeline = None
    if link.pgconn.status == ConnStatus.BAD:
        return
    try:
        link.pgconn.exit_pipeline_mode()
    except OperationalError:
        # Answers are still under way, so nothing more can be asked on this connection.
        if not or_close:
            raise
        with contextlib.suppress(Exception):
            link.close()
