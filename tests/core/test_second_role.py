"""The role of docs/audit.md runs the server and cannot rewrite history. PostgreSQL only: SQLite knows no roles."""

from __future__ import annotations

import re
from collections.abc import Iterator
from pathlib import Path

import pytest
from django.db import ProgrammingError, connection, transaction

from agentroom.core.audit import SERVER, Act, append_server, first_broken
from agentroom.core.models import AuditRow
from identity.actors import SystemActor
from identity.models import Owner
from identity.operations.accounts import open_account, rename_account
from tests.factories import human_of

pytestmark = pytest.mark.django_db
PAGE = Path(__file__).parents[2] / "docs" / "audit.md"


def run(statement: str) -> None:
    with connection.cursor() as cursor:
        cursor.execute(statement)


@pytest.fixture
def as_server() -> Iterator[None]:
    """This connection as the documented role; the test's transaction takes the role away again."""
    statements = re.search(r"```sql\n(.*?)```", PAGE.read_text(), re.DOTALL)[1]
    with connection.cursor() as cursor:
        cursor.execute("SELECT current_user")
        owner = cursor.fetchone()[0]
    for statement in filter(str.strip, statements.split(";")):
        run(statement.replace("agentroom_owner", f'"{owner}"').replace(" LOGIN PASSWORD 'choose-one'", ""))
    run("SET ROLE agentroom_server")
    yield
    run("RESET ROLE")


def test_the_documented_role_can_do_the_server_s_work(as_server: None):
    opened = open_account(SystemActor(), email="ada@example.test", name="Ada")
    rename_account(human_of(Owner.objects.get(pk=opened.owner_id)), name="Ada King")
    assert AuditRow.objects.count() == 2
    assert first_broken(SERVER) is None


@pytest.mark.parametrize(
    "statement",
    [
        "UPDATE core_auditrow SET act = 'x'",
        "DELETE FROM core_auditrow",
        "TRUNCATE core_auditrow",
        "DROP TABLE core_auditrow",
        "ALTER TABLE core_auditrow DISABLE TRIGGER ALL",
        "DROP TRIGGER core_auditrow_no_update ON core_auditrow",
        "UPDATE core_revision SET data = '{}'",
        "DELETE FROM django_migrations",
        "CREATE TABLE mine (x int)",
    ],
)
def test_it_cannot_touch_history(as_server: None, statement: str):
    append_server(SystemActor(), Act(act="try", record_kind="thing", record_id="1"))
    with pytest.raises(ProgrammingError, match=r"permission denied|must be owner"), transaction.atomic():
        run(statement)
