"""After every test in whose course something was done in this process's database, all invariants hold (AR-1.9).

A test that damages rows or takes the database away says so: `@pytest.mark.damages`. Servers of
their own are asked at their end.
"""

from __future__ import annotations

import asyncio
from collections.abc import Generator

import pytest
from django.db import connection
from django.db.models import Max

from agentroom.core import invariants
from agentroom.core.models import AuditRow

DATABASE_FIXTURES = {"db", "transactional_db"}


@pytest.hookimpl(wrapper=True)
def pytest_runtest_call(item: pytest.Item) -> Generator[None, object, object]:
    """Inside the call, where the test's own transaction is still open and what is found fails the test itself."""
    if not _may_ask(item):
        return (yield)
    before = _acts()
    result = yield
    # Every act leaves an audit row. Where there is none, or all was taken back, there is nothing new to look at.
    if _may_ask(item) and not connection.needs_rollback and _acts() != before:
        found = list(invariants.findings())
        assert not found, "\n".join(f"{name}: {finding}" for name, finding in found)
    return result


def _may_ask(item: pytest.Item) -> bool:
    """While a browser is driven its loop runs in this thread, and Django refuses queries.

    A test that waits for a server of its own does nothing here, and might wait longer than a transaction may lie idle.
    """
    if item.get_closest_marker("damages") or item.get_closest_marker("real_server"):
        return False
    reaches = item.get_closest_marker("django_db") or DATABASE_FIXTURES & set(getattr(item, "fixturenames", ()))
    return bool(reaches) and asyncio._get_running_loop() is None


def _acts() -> int | None:
    newest: int | None = AuditRow.objects.aggregate(newest=Max("pk"))["newest"]
    return newest
