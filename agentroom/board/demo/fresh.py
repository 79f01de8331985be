"""Starting the demo over: every row goes, in one transaction, the append-only ones included."""

from __future__ import annotations

from django.apps import apps
from django.core.management.color import no_style
from django.db import connection, transaction
from django.db.backends.utils import CursorWrapper

from agentroom.board.demo.cast import OWNERS
from identity.models import Owner

# What belongs to the server rather than to anybody in it.
KEPT = frozenset({"contenttypes.contenttype", "auth.permission", "identity.signingkey", "core.slot"})


def is_only_demo() -> bool:
    """Whether nobody but the demo's owners has an account here."""
    return not Owner.objects.exclude(email__in=OWNERS).exists()


def empty() -> None:
    models = [model for model in apps.get_models(include_auto_created=True) if model._meta.label_lower not in KEPT]
    tables = [model._meta.db_table for model in models if model._meta.managed and not model._meta.proxy]
    with transaction.atomic(), connection.cursor() as cursor:
        triggers = _triggers_against_deletion(cursor)
        for name, _ in triggers:
            cursor.execute(f"DROP TRIGGER {name}")
        for statement in connection.ops.sql_flush(no_style(), tables, allow_cascade=True):
            cursor.execute(statement)
        for _, definition in triggers:
            cursor.execute(definition)


def _triggers_against_deletion(cursor: CursorWrapper) -> list[tuple[str, str]]:
    """SQLite's, to be lifted meanwhile; PostgreSQL empties by TRUNCATE, which they let pass."""
    if connection.vendor != "sqlite":
        return []
    cursor.execute(
        "SELECT name, sql FROM sqlite_master WHERE type = 'trigger' AND name LIKE '%#_no#_delete' ESCAPE '#'"
    )
    return list(cursor.fetchall())
