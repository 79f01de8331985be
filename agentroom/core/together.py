"""Several inserts and one update in one round trip to PostgreSQL; one after the other on SQLite.

For the few writes that every operation ends with: each statement of its own costs the room's lane a round trip.
Names come from the models' own columns, values always travel as parameters.
"""

from __future__ import annotations

from collections.abc import Mapping, Sequence
from dataclasses import dataclass
from functools import lru_cache
from typing import Any

from django.db import connection
from django.db.models import CharField, Field, ForeignKey, Model, TextField

from agentroom.core.prepared import Ask, in_one_trip, planned_cursor

# Text goes into these as it is; asking each field how to prepare it would cost as much as the rest of the statement.
TEXTS = {CharField, TextField, ForeignKey}


@dataclass(frozen=True, slots=True)
class Statement:
    """SQL with its parameters."""

    sql: str
    parameters: list[Any]


def write_together(
    inserts: Sequence[Sequence[Model]],
    changed: Sequence[tuple[Model, Sequence[str]]],
    along: Sequence[Ask] = (),
) -> list[Any]:
    """Insert each group of unsaved rows (one model a group, no generated keys read back), then save `changed`.

    `changed` pairs stored rows with the fields to save; no row stands in it twice. PostgreSQL runs it all as one
    statement: foreign keys among the rows are checked at its end, and nothing in it sees what the rest has written.
    `along` is read after it, in the same message; its answers are returned.
    """
    parts = [_insert(group) for group in inserts if group] + [_update(row, tuple(fields)) for row, fields in changed]
    if connection.vendor == "postgresql" and len(parts) > 1:
        names = [f"part{number} AS ({part.sql})" for number, part in enumerate(parts[:-1])]
        everything = [value for part in parts for value in part.parameters]
        parts = [Statement(f"WITH {', '.join(names)} {parts[-1].sql}", everything)]
    writes = [Ask(part.sql, part.parameters) for part in parts]
    return in_one_trip(*writes, *along)[len(writes) :]


def change_if(row: Model, changes: Mapping[str, Any], *, still: Sequence[str]) -> bool:
    """Store `changes` if the stored row still has the values that `row` has in the fields `still`.

    One guarded UPDATE, its row count checked: False when somebody was faster. Brings `row` up to date when not.
    """
    before = _values(row, tuple(still))
    for name, value in changes.items():
        setattr(row, name, value)
    update = _update(row, tuple(changes), tuple(still))
    with planned_cursor() as cursor:
        cursor.execute(update.sql, [*update.parameters, *before])
        return bool(cursor.rowcount == 1)


def _insert(rows: Sequence[Model]) -> Statement:
    model = type(rows[0])
    values = [_value(field, row, add=True) for row in rows for field in _columns(model)]
    return Statement(_insert_sql(model, len(rows), connection.vendor), values)


def _update(row: Model, names: tuple[str, ...], still: tuple[str, ...] = ()) -> Statement:
    return Statement(_update_sql(type(row), names, still, connection.vendor), [*_values(row, names), row.pk])


def _values(row: Model, names: tuple[str, ...]) -> list[Any]:
    return [_value(field, row, add=False) for field in _fields(type(row), names)]


def _value(field: Field[Any, Any], row: Model, *, add: bool) -> Any:
    value = field.pre_save(row, add)
    if type(value) is not str or type(field) not in TEXTS:
        value = field.get_db_prep_save(value, connection)
    # psycopg types a number by its size, and each mixture of sizes would be a plan of its own; text takes the column's.
    return str(value) if type(value) is int else value


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
