"""Queries stated in the ORM, compiled once, and run many times: for the few reads that every call pays for.

Building a queryset and compiling it costs several times what the database needs to answer it. The rule stays where it
is read, in the ORM; only its text is kept. Built on the compiler of the pinned Django release.
"""

from __future__ import annotations

import inspect
from collections.abc import Callable, Sequence
from dataclasses import dataclass
from typing import Any

from django.db import DEFAULT_DB_ALIAS, connection, connections
from django.db.models import Model, QuerySet, TextField, Value
from django.db.models.base import ModelState
from django.db.models.query import ModelIterable, get_related_populators
from django.db.models.sql import UpdateQuery
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
    answer: Callable[[list[Row]], Any] | None = None  # None for a write
    counted: Callable[[int], Any] = int  # for a write: of how many rows it changed

    def then(self, make: Callable[[Any], Any]) -> Ask:
        """The same, with `make` applied to its answer."""
        answer, counted = self.answer, self.counted
        if answer is None:
            return Ask(self.sql, self.parameters, counted=lambda count: make(counted(count)))
        return Ask(self.sql, self.parameters, lambda rows: make(answer(rows)))


@dataclass(frozen=True, slots=True)
class _Compiled:
    sql: str
    parameters: tuple[Any, ...]
    converters: tuple[tuple[int, list[Callable[..., Any]], Any], ...]
    make: Callable[[Row], Model] | None

    def filled(self, values: dict[str, str]) -> list[Any]:
        return [values[part] if type(part) is Slot else part for part in self.parameters]

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
        query = self._query()
        (rows,) = in_one_trip(Ask(query.sql, query.filled(values), query.converted))
        return list(rows)

    def first_row(self, **values: str) -> Row | None:
        return next(iter(self.rows(**values)), None)

    def instances(self, **values: str) -> list[Any]:
        if self._query().make is None:
            raise TypeError("this query selects values, not models")
        (models,) = in_one_trip(self.asking(**values))
        return list(models)

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


class PreparedUpdate:
    """One UPDATE stated in the ORM, compiled once: `PreparedUpdate(lambda pk, at: (Rows.filter(pk=pk), {"at": at}))`.

    `build` gives the rows and their new values; a value that is no parameter of it is part of the text.
    """

    def __init__(self, build: Callable[..., tuple[QuerySet[Any, Any], dict[str, Any]]]) -> None:
        self._build = build
        self._names = tuple(inspect.signature(build).parameters)
        self._compiled: dict[str, tuple[str, tuple[Any, ...]]] = {}

    def asking(self, **values: Any) -> Ask:
        """The update as one of several statements that travel together; its answer is how many rows it changed."""
        compiled = self._compiled.get(connection.vendor)
        if compiled is None:
            compiled = self._compiled[connection.vendor] = self._compile()
        sql, parameters = compiled
        return Ask(sql, [values[part] if type(part) is Slot else part for part in parameters])

    def _compile(self) -> tuple[str, tuple[Any, ...]]:
        rows, changes = self._build(**{name: Slot(name) for name in self._names})
        query: Any = rows.query.chain(UpdateQuery)
        query.add_update_values({name: _as_slot(value) for name, value in changes.items()})
        return _with_constants(*query.get_compiler(connection=connection).as_sql())


def _as_slot(value: Any) -> Any:
    """As text, whatever the column is: a field would try to read the name of a parameter as its value."""
    return Value(value, output_field=TextField()) if type(value) is Slot else value


def in_one_trip(*asks: Ask) -> list[Any]:
    """The answers to all of `asks`, run in this order. PostgreSQL gets them in one message instead of one each.

    Each still is a statement of its own: it sees what was committed when the one before it had ended, so what is
    read after a row lock is read under it. The BEGIN of a transaction that has only been announced travels along.
    """
    database: Any = connections[DEFAULT_DB_ALIAS]
    if database.vendor != "postgresql":
        return [_alone(database, ask) for ask in asks]
    # `exchange` is our own backend's.
    answers = database.exchange([(ask.sql, ask.parameters) for ask in asks])
    return [_answered(ask, answer.rows, answer.count) for ask, answer in zip(asks, answers, strict=True)]


def _alone(database: Any, ask: Ask) -> Any:
    with database.cursor() as cursor:
        cursor.execute(ask.sql, ask.parameters)
        return _answered(ask, cursor.fetchall(), cursor.rowcount)


def _answered(ask: Ask, rows: list[Row], count: int) -> Any:
    return ask.counted(count) if ask.answer is None else ask.answer(rows)


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
        # What `Model.from_db` comes to for a whole row, at a third of its cost: nothing here listens to `post_init`.
        made: Model = model.__new__(model)
        made._state = ModelState()
        made._state.adding, made._state.db = False, alias
        made.__dict__.update(zip(names, row[start:end], strict=True))
        for populator in populators:
            populator.populate(row, made)
        for name, position in annotations:
            setattr(made, name, row[position])
        return made

    return make
