"""Several inserts and one update in one round trip to PostgreSQL; one after the other on SQLite.

For the few writes that every operation ends with: each statement of its own costs the room's lane a round trip.
Names come from the models' own columns, values always travel as parameters.
"""

from __future__ import annotations

from collections.abc import Mapping, Sequence
from dataclasses import dataclass
from functools import lru_cache
from typing import Any

from django.db import DEFAULT_DB_ALIAS, connection, connections
from django.db.models import BooleanField, CharField, DateTimeField, Field, ForeignKey, Model, TextField

from agentroom.core.prepared import Ask, in_one_trip

# What goes into these as it is; asking each field how to prepare it would cost as much as the rest of the statement.
AS_IT_IS = {
    "sqlite": {CharField, TextField, ForeignKey},
    "postgresql": {CharField, TextField, ForeignKey, BooleanField, DateTimeField},
}


@dataclass(frozen=True, slots=True)
class Statement:
    """SQL with its parameters."""

    sql: str
    parameters: list[Any]


def write_together(
    inserts: Sequence[Sequence[Model]],
    changed: Sequence[tuple[Model, Sequence[str]]],
    along: Sequence[Ask] = (),
    ahead: Sequence[Ask] = (),
) -> list[Any]:
    """Insert each group of unsaved rows (one model a group, no generated keys read back), then save `changed`.

    `changed` pairs stored rows with the fields to save; no row stands in it twice. PostgreSQL runs it all as one
    statement: foreign keys among the rows are checked at its end, and nothing in it sees what the rest has written.
    `ahead` runs before it in the same message: guarded changes, whose answers raise when somebody was faster, and with
    the transaction everything that was written behind them is undone. `along` is read after it; its answers are
    returned.
    """
    database = connections[DEFAULT_DB_ALIAS]
    parts = [_insert(group, database) for group in inserts if group]
    parts += [_update(row, tuple(fields), database) for row, fields in changed]
    if database.vendor == "postgresql" and len(parts) > 1:
        names = [f"part{number} AS ({part.sql})" for number, part in enumerate(parts[:-1])]
        everything = [value for part in parts for value in part.parameters]
        parts = [Statement(f"WITH {', '.join(names)} {parts[-1].sql}", everything)]
    writes = [Ask(part.sql, part.parameters) for part in parts]
    return in_one_trip(*ahead, *writes, *along)[len(ahead) + len(writes) :]


def change_if(row: Model, changes: Mapping[str, Any], *, still: Sequence[str]) -> bool:
    """Store `changes` if the stored row still has the values that `row` has in the fields `still`.

    One guarded UPDATE, its row count checked: False when somebody was faster. Brings `row` up to date.
    """
    return bool(in_one_trip(changing_if(row, changes, still=still))[0])


def changing_if(row: Model, changes: Mapping[str, Any], *, still: Sequence[str]) -> Ask:
    """As `change_if`, to travel with other statements. `row` is brought up to date at once."""
    database = connections[DEFAULT_DB_ALIAS]
    before = _values(row, _fields(type(row), tuple(still)), database)
    for name, value in changes.items():
        setattr(row, name, value)
    update = _update(row, tuple(changes), database, tuple(still))
    return Ask(update.sql, [*update.parameters, *before], counted=lambda count: count == 1)


def _insert(rows: Sequence[Model], database: Any) -> Statement:
    model = type(rows[0])
    values = [value for row in rows for value in _values(row, _columns(model), database)]
    return Statement(_insert_sql(model, len(rows), database.vendor), values)


def _update(row: Model, names: tuple[str, ...], database: Any, still: tuple[str, ...] = ()) -> Statement:
    values = _values(row, _fields(type(row), names), database)
    return Statement(_update_sql(type(row), names, still, database.vendor), [*values, row.pk])


def _values(row: Model, fields: Sequence[Field[Any, Any]], database: Any) -> list[Any]:
    as_it_is = AS_IT_IS[database.vendor]
    found = []
    for field in fields:
        value = getattr(row, field.attname)
        if type(value) is int:
            # psycopg types a number by its size, and each mixture of sizes would be a plan of its own; text takes the
            # column's.
            value = str(value)
        elif type(field) not in as_it_is:
            value = field.get_db_prep_save(value, database)
        found.append(value)
    return found


@lru_cache(maxsize=256)
def _insert_sql(model: type[Model], rows: int, vendor: str) -> str:
    quote = connection.ops.quote_name
    columns = ", ".join(quote(str(field.column)) for field in _columns(model))
    values = f"({', '.join('%s' for _ in _columns(model))})"
    # The names are the model's own; nothing of a caller is in this text.
    return f"INSERT INTO {quote(model._meta.db_table)} ({columns}) VALUES {', '.join([values] * rows)}"  # noqa: S608


@lru_cache(maxsize=256)
def _update_sql(model: type[Model], names: tuple[str, ...], still: tuple[str, ...], vendor: str) -> str:
    quote = connection.ops.quote_name
    columns = ", ".join(f"{quote(str(field.column))} = %s" for field in _fields(model, names))
    guards = " AND ".join(f"{quote(str(field.column))} = %s" for field in [model._meta.pk, *_fields(model, still)])
    return f"UPDATE {quote(model._meta.db_table)} SET {columns} WHERE {guards}"  # noqa: S608 - as above


@lru_cache(maxsize=64)
def _columns(model: type[Model]) -> tuple[Field[Any, Any], ...]:
    """The columns to fill: all but a key that the database makes."""
    made = model._meta.auto_field
    return tuple(field for field in model._meta.concrete_fields if field is not made)


@lru_cache(maxsize=64)
def _fields(model: type[Model], names: tuple[str, ...]) -> tuple[Field[Any, Any], ...]:
    return tuple(model._meta.get_field(name) for name in names)  # type: ignore[misc]
