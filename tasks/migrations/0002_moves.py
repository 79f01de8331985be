"""Status moves only along the arrows of `tasks/lifecycle.py`, and the fence only grows, on both databases."""

from __future__ import annotations

from django.db import migrations

from tasks import trigger


def install(apps, schema_editor):
    trigger.install(schema_editor)


def remove(apps, schema_editor):
    trigger.remove(schema_editor)


class Migration(migrations.Migration):
    dependencies = [("tasks", "0001_initial")]

    operations = [migrations.RunPython(install, remove)]
