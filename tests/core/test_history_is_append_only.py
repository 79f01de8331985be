"""Audit rows and revisions stay as they were written, whoever holds a database connection."""

from __future__ import annotations

import pytest
from django.core.management import call_command
from django.db import IntegrityError, connection, transaction

from agentroom.core.audit import SERVER, Act, append_server, first_broken
from agentroom.core.clock import db_now
from agentroom.core.models import AuditRow, Revision
from identity.actors import SystemActor


def written() -> AuditRow:
    with transaction.atomic():
        append_server(SystemActor(), Act(act="try", record_kind="owner", record_id="1", after={"state": "new"}))
    return AuditRow.objects.get(chain=SERVER)


def refused(statement: str) -> str:
    with pytest.raises(IntegrityError) as refusal, transaction.atomic(), connection.cursor() as cursor:
        cursor.execute(statement)
    return str(refusal.value)


@pytest.mark.django_db
@pytest.mark.parametrize("verb", ["UPDATE", "DELETE"])
def test_the_database_refuses_to_change_an_audit_row(verb: str):
    row = written()
    statement = "UPDATE core_auditrow SET act = 'other'" if verb == "UPDATE" else "DELETE FROM core_auditrow"
    assert f"{verb} on core_auditrow is refused" in refused(statement)
    assert AuditRow.objects.get(pk=row.pk).act == "try"


@pytest.mark.django_db
def test_the_models_cannot_change_an_audit_row_either():
    row = written()
    for change in (row.delete, row.save, AuditRow.objects.all().delete):
        with pytest.raises(IntegrityError), transaction.atomic():
            change()


@pytest.mark.django_db
def test_a_revision_is_never_rewritten_but_may_be_pruned():
    Revision.objects.create(kind="task", record_id="1", revision=1, room_id="1", data={"a": 1}, created_at=db_now())
    assert "UPDATE on core_revision is refused" in refused("UPDATE core_revision SET data = '{}'")
    Revision.objects.all().delete()
    assert not Revision.objects.exists()


@pytest.mark.django_db(transaction=True)
def test_a_flush_of_the_tests_empties_the_table_and_leaves_it_guarded():
    written()
    call_command("flush", interactive=False, verbosity=0)
    assert not AuditRow.objects.exists()
    written()
    assert "refused" in refused("DELETE FROM core_auditrow")
    assert first_broken(SERVER) is None
