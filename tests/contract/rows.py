"""How many rows there are, of every table: what proves that a refused call stored nothing."""

from __future__ import annotations

from django.apps import apps
from django.db import connection

# Presence and budgets are no content, and a keyed call's receipt belongs to its answer.
NOT_CONTENT = {"identity_instance", "core_slot"}


def counted() -> dict[str, int]:
    """Rows per table, in one statement."""
    tables = sorted({model._meta.db_table for model in apps.get_models(include_auto_created=True)} - NOT_CONTENT)
    counts = ", ".join(f"(SELECT count(*) FROM {connection.ops.quote_name(table)})" for table in tables)
    with connection.cursor() as cursor:
        cursor.execute(f"SELECT {counts}")
        return dict(zip(tables, cursor.fetchone(), strict=True))


def added(before: dict[str, int]) -> dict[str, int]:
    """Tables with more rows than `before`, and how many more. What an open transaction holds is not seen."""
    return {table: count - before[table] for table, count in counted().items() if count != before[table]}
