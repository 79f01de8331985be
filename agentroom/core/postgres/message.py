"""Several statements to PostgreSQL in one message, and all their answers in one.

psycopg's own pipeline sends, and wakes the server up, once a statement, and waits for a BEGIN before it sends what
follows. Here everything is put into the buffer first, BEGIN and the closing Sync included. The server plans each
statement once a connection: planning one costs more than running it.
"""

from __future__ import annotations

import contextlib
import re
from collections import OrderedDict
from collections.abc import Generator, Sequence
from dataclasses import dataclass
from functools import lru_cache
from itertools import count
from typing import Any
from weakref import WeakKeyDictionary

from psycopg import Connection, OperationalError
from psycopg.abc import AdaptContext
from psycopg.adapt import AdaptersMap, PyFormat, Transformer
from psycopg.errors import Error, error_from_result
from psycopg.generators import fetch_many, send
from psycopg.pq import ConnStatus, ExecStatus
from psycopg.pq.abc import PGresult

Statement = tuple[str, Sequence[Any]]  # SQL and its parameters
Conversation = Generator[Any, Any, Any]

# Plans kept by one connection; more than there are distinct statements.
PLANS = 300


@dataclass(frozen=True, slots=True)
class Answer:
    """What one statement gave: its rows, and how many it returned or changed."""

    rows: list[tuple[Any, ...]]
    count: int


def exchange(
    link: Connection[Any], adapters: AdaptersMap, statements: Sequence[Statement], *, begin: bool
) -> list[Answer]:
    """The answers to `statements`, run in this order, in a new transaction if they `begin` one.

    After a statement that fails none of the later ones is run, and its error is raised.
    """
    with link.lock:
        line = _LINES.get(link)
        if line is None:
            line = _LINES[link] = _Line(link, adapters)
        answers: list[Answer] = link.wait(line.conversation(statements, begin=begin))
        return answers


class _Line(AdaptContext):
    """One connection: the plans that its server process keeps, and how values travel on it."""

    def __init__(self, link: Connection[Any], adapters: AdaptersMap) -> None:
        # Not the connection itself: it is the weak key that this is kept under.
        self._wire, self._encoding = link.pgconn, link.info.encoding
        self._adapters = adapters
        self._values = Transformer(self)
        self._plans: OrderedDict[tuple[str, tuple[int, ...]], bytes] = OrderedDict()
        self._names = count(1)
        # Of the message under way: its commands, and by the number of the command which plans it makes.
        self._commands = 0
        self._made: dict[int, tuple[str, tuple[int, ...]]] = {}

    @property
    def adapters(self) -> AdaptersMap:
        return self._adapters

    @property
    def connection(self) -> None:
        return None

    def conversation(self, statements: Sequence[Statement], *, begin: bool) -> Conversation:
        self._wire.enter_pipeline_mode()
        try:
            places = self._put(statements, begin=begin)
            self._wire.pipeline_sync()
            yield from send(self._wire)
            results = yield from self._results()
        except BaseException:
            self._plans.clear()  # whether the new ones were made is not known
            self._leave(or_finish=True)
            raise
        self._leave()
        self._require_success(results)
        return [self._answer(results[place]) for place in places]

    def _put(self, statements: Sequence[Statement], *, begin: bool) -> list[int]:
        """Put the commands into the buffer; where among the results those of the statements will stand."""
        self._commands, self._made = 0, {}
        if begin:
            self._command(b"BEGIN")
        places = []
        for sql, parameters in statements:
            values = self._values.dump_sequence(parameters, _any_format(len(parameters)))
            plan = self._plan(sql, self._values.types or ())
            self._wire.send_query_prepared(plan, values, param_formats=self._values.formats)
            places.append(self._commands)
            self._commands += 1
        return places

    def _plan(self, sql: str, types: tuple[int, ...]) -> bytes:
        """The name of the statement's plan, which is made, and the one not used for longest dropped, if need be."""
        plan = self._plans.get((sql, types))
        if plan is not None:
            self._plans.move_to_end((sql, types))
            return plan
        if len(self._plans) >= PLANS:
            _, oldest = self._plans.popitem(last=False)
            self._command(b"DEALLOCATE " + oldest)
        plan = self._plans[sql, types] = b"agentroom_%d" % next(self._names)
        self._made[self._commands] = (sql, types)
        self._wire.send_prepare(plan, _numbered(sql).encode(self._encoding), param_types=types)
        self._commands += 1
        return plan

    def _command(self, sql: bytes) -> None:
        self._wire.send_query_params(sql, None)
        self._commands += 1

    def _results(self) -> Conversation:
        results: list[PGresult] = []
        for _ in range(self._commands):
            results += yield from fetch_many(self._wire)
        yield from fetch_many(self._wire)  # of the Sync
        return results

    def _require_success(self, results: list[PGresult]) -> None:
        for result in results:
            if result.status == ExecStatus.FATAL_ERROR:
                self._forget_what_was_not_made(results)
                error = error_from_result(result, encoding=self._encoding)
                # Without a code it is libpq that speaks: the line was cut, which psycopg takes for a mistake of ours.
                raise error if error.sqlstate else OperationalError(str(error))
        if len(results) < self._commands:
            raise OperationalError("the connection was cut before all was answered")

    def _forget_what_was_not_made(self, results: list[PGresult]) -> None:
        """A plan outlives the failure of its transaction; one behind the failure was never made."""
        for number, key in self._made.items():
            if number >= len(results) or results[number].status != ExecStatus.COMMAND_OK:
                self._plans.pop(key, None)

    def _answer(self, result: PGresult) -> Answer:
        rows: list[tuple[Any, ...]] = []
        if result.status == ExecStatus.TUPLES_OK:
            self._values.set_pgresult(result)
            rows = self._values.load_rows(0, result.ntuples, tuple)
            self._values.set_pgresult(None)
        return Answer(rows, result.command_tuples or 0)

    def _leave(self, *, or_finish: bool = False) -> None:
        if self._wire.status == ConnStatus.BAD:
            return
        try:
            self._wire.exit_pipeline_mode()
        except OperationalError:
            # Answers are still under way, so nothing more can be asked on this connection.
            if not or_finish:
                raise
            with contextlib.suppress(Error):
                self._wire.finish()


_LINES: WeakKeyDictionary[Connection[Any], _Line] = WeakKeyDictionary()


@lru_cache(maxsize=2 * PLANS)
def _numbered(sql: str) -> str:
    """PostgreSQL's own placeholders, `$1 …`, for Django's `%s`."""
    number = count(1)
    return re.sub("%[s%]", lambda found: "%" if found[0] == "%%" else f"${next(number)}", sql)


@lru_cache(maxsize=256)
def _any_format(parameters: int) -> list[PyFormat]:
    return [PyFormat.AUTO] * parameters
