"""The second line of defence (I-03): a trigger that refuses every status change the table does not have.

It is made from the table, in a migration. On SQLite, a later migration that alters `tasks_task` rebuilds the table
and must run `install` again; a test notices when it does not.
"""

from __future__ import annotations

from django.db.backends.base.schema import BaseDatabaseSchemaEditor

from tasks.lifecycle import arrows

NAME = "tasks_task_moves"
MESSAGE = "this change of a task is not one of its legal moves"

_FUNCTION = f"""
CREATE OR REPLACE FUNCTION tasks_refuse_move() RETURNS trigger LANGUAGE plpgsql AS $$
BEGIN
    RAISE EXCEPTION '{MESSAGE}' USING ERRCODE = 'integrity_constraint_violation';
END
$$
"""


def install(schema_editor: BaseDatabaseSchemaEditor) -> None:
    """Make the trigger, in place of an older one."""
    remove(schema_editor)
    head = f"CREATE TRIGGER {NAME} BEFORE UPDATE OF status, fence ON tasks_task FOR EACH ROW WHEN ({_illegal()})"
    if schema_editor.connection.vendor == "postgresql":
        schema_editor.execute(_FUNCTION)
        statement = f"{head} EXECUTE FUNCTION tasks_refuse_move()"
    else:
        statement = f"{head} BEGIN SELECT RAISE(ABORT, '{MESSAGE}'); END"
    schema_editor.execute(statement)


def remove(schema_editor: BaseDatabaseSchemaEditor) -> None:
    on = " ON tasks_task" if schema_editor.connection.vendor == "postgresql" else ""
    statement = f"DROP TRIGGER IF EXISTS {NAME}{on}"
    schema_editor.execute(statement)


def _illegal() -> str:
    """The condition under which an UPDATE is refused, in the SQL both databases share."""
    legal = ", ".join(f"'{source}>{target}'" for source, target in arrows())
    return (
        f"(OLD.status <> NEW.status AND OLD.status || '>' || NEW.status NOT IN ({legal}))"
        " OR NEW.fence < OLD.fence OR NEW.fence > OLD.fence + 1"
    )
