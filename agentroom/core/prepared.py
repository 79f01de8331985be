"""Queries stated in the ORM, compiled once, and run many times: for the few reads that every call pays for.

Building a queryset and compiling it costs several times what the database needs to answer it. The rule stays where it
is read, in the ORM; only its text is kept. Built on the compiler of the pinned Django release.
"""

from __future__ import annotations

import inspect
from collections.abc import Callable, Sequence
from dataclasses import dataclass
from typing import Any

from django.db import connection
from django.db.models import Model, QuerySet
from django.db.models.query import ModelIterable, get_related_populators
from psycopg.sql import Literal

Row = tuple[Any, ...]


class Slot(str):
    """Stands for a parameter while the query is compiled; text passes through the ORM as it is."""

    __slots__ = ()


@dataclass(frozen=True, slots=True)
class Ask:
    """One statement of several that travel together, and what to make of its rows."""

    sql: str
    parameters: Sequence[Any]
    answer: Callable[[list[Row]], Any] | None = None  # None for a write that returns no rows

    def then(self, make: Callable[[Any], Any]) -> Ask:
        """The same, with `make` applied to its answer."""
        answer = self.answer or list
        return Ask(self.sql, self.parameters, lambda rows: make(answer(rows)))


@dataclass(frozen=True, slots=True)
class _Compiled:
    sql: str
    parameters: tuple[Any, ...]
    converters: tuple[tuple[int, list[Callable[..., Any]], Any], ...]
    make: Callable[[Row], Model] | None

    def filled(self, values: dict[str, str]) -> list[Any]:
        return [values[part] if type(part) is Slot else part for part in self.parameters]

    def run(self, values: dict[str, str]) -> list[Row]:
        with planned_cursor() as cursor:
            cursor.execute(self.sql, self.filled(values))
            return self.converted(cursor.fetchall())

    def converted(self, rows: list[Row]) -> list[Row]:
        return [self._converted(row) for row in rows] if self.converters else rows

    def _converted(self, row: Sequence[Any]) -> Row:
        values = list(row)
        for position, converters, expression in self.converters:
            for convert in converters:
                values[position] = convert(values[position], expression, connection)
        return tuple(values)


class Prepared:
    """`Prepared(lambda room_id: Room.objects.filter(pk=room_id))`; every parameter is text.

    `rows` gives tuples of a `values_list`, `instances` models (with `select_related` and annotations), and the `first`
    forms one of them or None. A query with `select_for_update` must be run inside a transaction, as ever.
    """

    def __init__(self, build: Callable[..., QuerySet[Any, Any]]) -> None:
        self._build = build
        self._names = tuple(inspect.signature(build).parameters)
        self._compiled: dict[str, _Compiled] = {}

    def rows(self, **values: str) -> list[Row]:
        return self._query().run(values)

    def first_row(self, **values: str) -> Row | None:
        return next(iter(self.rows(**values)), None)

    def instances(self, **values: str) -> list[Any]:
        query = self._query()
        if query.make is None:
            raise TypeError("this query selects values, not models")
        return [query.make(row) for row in query.run(values)]

    def first(self, **values: str) -> Any | None:
        return next(iter(self.instances(**values)), None)

    def asking(self, **values: str) -> Ask:
        """This query as one of several that travel together; its answer is what `instances` or `rows` would give."""
        query = self._query()

        def answer(rows: list[Row]) -> list[Any]:
            rows = query.converted(rows)
            return rows if query.make is None else [query.make(row) for row in rows]

        return Ask(query.sql, query.filled(values), answer)

    def _query(self) -> _Compiled:
        query = self._compiled.get(connection.vendor)
        if query is None:
            # Two threads may both compile; either text is right.
            query = self._compiled[connection.vendor] = self._compile()
        return query

    def _compile(self) -> _Compiled:
        slots = {name: Slot(name) for name in self._names}
        query = self._build(**slots)
        compiler = query.query.get_compiler(connection=connection)
        sql, parameters = _with_constants(*compiler.as_sql())
        columns = [column[0] for column in compiler.select[: compiler.col_count]]
        converters = compiler.get_converters(columns)
        return _Compiled(
            sql,
            tuple(parameters),
            tuple((position, list(convert), expression) for position, (convert, expression) in converters.items()),
            # Not by `klass_info`: a union of values has one too.
            _maker(compiler) if query._iterable_class is ModelIterable else None,
        )


def in_one_trip(*asks: Ask) -> list[Any]:
    """The answers to all of `asks`, run in this order. PostgreSQL gets them in one message instead of one each.

    Each still is a statement of its own: it sees what was committed when the one before it had ended, so what is
    read after a row lock is read under it. The BEGIN of a transaction that has only been announced travels along.
    """
    if connection.vendor != "postgresql":
        return [_alone(ask) for ask in asks]
    cursors = [planned_cursor() for _ in asks]
    with connection.wrap_database_errors, connection.connection.pipeline():
        for ask, cursor in zip(asks, cursors, strict=True):
            cursor.execute(ask.sql, ask.parameters)
    return [_answered(ask, cursor) for ask, cursor in zip(asks, cursors, strict=True)]


def _alone(ask: Ask) -> Any:
    with connection.cursor() as cursor:
        cursor.execute(ask.sql, ask.parameters)
        return _answered(ask, cursor)


def _answered(ask: Ask, cursor: Any) -> Any:
    return None if ask.answer is None else ask.answer(cursor.fetchall())


def planned_cursor() -> Any:
    """A cursor for statements that come again and again: PostgreSQL plans each once a connection."""
    # `planned_cursor` is our own backend's.
    return getattr(connection, "planned_cursor", connection.cursor)()


def _with_constants(sql: str, parameters: Sequence[Any]) -> tuple[str, tuple[Any, ...]]:
    """The query with its constants as literals: a lasting plan can use a partial index only if it sees them.

    What a caller gives stays a parameter.
    """
    if connection.vendor != "postgresql":
        return sql, tuple(parameters)
    parts = ["%s" if type(value) is Slot else _literal(value) for value in parameters]
    return sql.replace("%%", "%%%%") % tuple(parts), tuple(value for value in parameters if type(value) is Slot)


def _literal(value: Any) -> str:
    text: str = Literal(value).as_string(connection.connection)
    return text.replace("%", "%%")


def _maker(compiler: Any) -> Callable[[Row], Model]:
    """How Django turns a row of this query into models, with the related ones it selected."""
    info, select, alias = compiler.klass_info, compiler.select, connection.alias
    model, fields = info["model"], info["select_fields"]
    start, end = fields[0], fields[-1] + 1
    names = [column[0].target.attname for column in select[start:end]]
    populators = get_related_populators(info, select, alias)  # type: ignore[call-arg] # the stubs are of a later Django
    annotations = list(compiler.annotation_col_map.items())

    def make(row: Row) -> Model:
        made: Model = model.from_db(alias, names, row[start:end])
        for populator in populators:
            populator.populate(row, made)
        for name, position in annotations:
            setattr(made, name, row[position])
        return made

    return make
