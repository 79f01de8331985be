"""History stays as it was written: audit rows refuse UPDATE and DELETE, revisions refuse UPDATE, on both databases."""

from __future__ import annotations

from django.db import migrations

FUNCTION = """
CREATE FUNCTION core_refuse_change() RETURNS trigger LANGUAGE plpgsql AS $$
BEGIN
    RAISE EXCEPTION '% on % is refused: its rows are history', TG_OP, TG_TABLE_NAME
        USING ERRCODE = 'integrity_constraint_violation';
END
$$
"""

# (table, verb): retention may delete old revisions, nobody may delete audit rows.
REFUSED = (("core_auditrow", "UPDATE"), ("core_auditrow", "DELETE"), ("core_revision", "UPDATE"))


def refuse(apps, schema_editor):
    vendor = schema_editor.connection.vendor
    if vendor == "postgresql":
        schema_editor.execute(FUNCTION, params=None)
    for table, verb in REFUSED:
        schema_editor.execute(_trigger(vendor, table, verb))


def allow(apps, schema_editor):
    vendor = schema_editor.connection.vendor
    for table, verb in REFUSED:
        on = f" ON {table}" if vendor == "postgresql" else ""
        schema_editor.execute(f"DROP TRIGGER {_name(table, verb)}{on}")
    if vendor == "postgresql":
        schema_editor.execute("DROP FUNCTION core_refuse_change()")


def _trigger(vendor, table, verb):
    head = f"CREATE TRIGGER {_name(table, verb)} BEFORE {verb} ON {table}"
    if vendor == "postgresql":
        return f"{head} FOR EACH ROW EXECUTE FUNCTION core_refuse_change()"
    return f"{head} BEGIN SELECT RAISE(ABORT, '{verb} on {table} is refused: its rows are history'); END"


def _name(table, verb):
    return f"{table}_no_{verb.lower()}"


class Migration(migrations.Migration):
    dependencies = [("core", "0001_initial")]

    operations = [migrations.RunPython(refuse, allow)]
