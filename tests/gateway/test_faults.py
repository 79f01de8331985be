"""What fails inside looks like from outside: a code, a next step, and nothing of the trace."""

from __future__ import annotations

import threading
from collections.abc import Iterator
from contextlib import contextmanager

import pytest
from django.db import DataError, IntegrityError, InternalError, OperationalError, connection, connections, transaction
from psycopg.errors import (
    DiskFull,
    IdleInTransactionSessionTimeout,
    InFailedSqlTransaction,
    NumericValueOutOfRange,
    ReadOnlySqlTransaction,
    UniqueViolation,
)

from agentroom.core import failures
from agentroom.gateway.faults import public_error
from tests import factories
from tests.clients import McpClient, RestClient


def caused(error: Exception, cause: Exception) -> Exception:
    error.__cause__ = cause
    return error


@pytest.mark.parametrize(
    ("error", "code"),
    [
        (OperationalError("server closed the connection"), "UNAVAILABLE"),
        (caused(OperationalError("full"), DiskFull("could not extend file")), "STORAGE_FULL"),
        (caused(InternalError("standby"), ReadOnlySqlTransaction("read only")), "UNAVAILABLE"),
        (caused(InternalError("paused"), IdleInTransactionSessionTimeout("too long")), "UNAVAILABLE"),
        (caused(InternalError("aborted"), InFailedSqlTransaction("a mistake of ours")), "INTERNAL"),
        (caused(IntegrityError("twice"), UniqueViolation("duplicate key")), "CONFLICT"),
        (IntegrityError("a check failed"), "INTERNAL"),
        (caused(DataError("range"), NumericValueOutOfRange("out of range")), "VALIDATION"),
        (ZeroDivisionError("division by zero"), "INTERNAL"),
        (RecursionError("too deep"), "INTERNAL"),
    ],
)
def test_a_fault_has_a_public_face_that_tells_nothing_of_the_inside(error, code):
    shown = public_error(error, "claim_task")
    assert shown.code == code
    assert str(error) not in shown.message
    assert shown.code in {"STORAGE_FULL", "VALIDATION", "CONFLICT"} or shown.retryable


@pytest.mark.parametrize(
    ("cause", "status"), [(DiskFull("full"), 507), (ReadOnlySqlTransaction("standby"), 503), (None, 500)]
)
def test_where_no_door_of_ours_answers_a_fault_of_the_database_looks_the_same(rf, cause, status):
    try:
        raise caused(InternalError("a secret of the inside"), cause) if cause else ZeroDivisionError
    except Exception:
        answer = failures.server_error(rf.get("/admin/"))
    assert answer.status_code == status
    assert b"inside" not in answer.content
    assert ("Retry-After" in answer) is (status == 503)


@pytest.mark.django_db(transaction=True)
@pytest.mark.parametrize("door", [McpClient, RestClient])
def test_a_room_that_stays_locked_is_busy_and_the_caller_told_when_to_come_again(door, cast):
    client = door(factories.token_for(cast.scout))
    with held(f"SELECT 1 FROM rooms_room WHERE id = '{cast.harbour.pk}' FOR UPDATE"):
        answer = client.call("send_message", room=cast.harbour.pk, body="Anybody?")
    assert (answer.status, answer.code, answer.error["retryable"]) == (503, "UNAVAILABLE", True)
    assert answer.error["retry_after_ms"] == 1000
    assert door is McpClient or answer.headers["retry-after"] == "1"
    assert client.call("send_message", room=cast.harbour.pk, body="Anybody?").ok


@pytest.mark.django_db(transaction=True)
@pytest.mark.parametrize("door", [McpClient, RestClient])
def test_a_credential_that_cannot_be_read_is_no_wrong_credential(door, cast):
    client = door(factories.token_for(cast.scout))
    with held("LOCK TABLE identity_credential IN ACCESS EXCLUSIVE MODE"):
        answer = client.call("whoami")
    assert (answer.status, answer.code) == (503, "UNAVAILABLE")
    assert answer.headers["retry-after"] == "1"
    assert answer.headers["content-type"] == "application/json"
    assert client.call("whoami").ok


@contextmanager
def held(statement: str) -> Iterator[None]:
    """Another connection has run `statement` and does not end its transaction; ours gives up on locks at once."""
    locked, done = threading.Event(), threading.Event()

    def hold() -> None:
        with transaction.atomic(), connection.cursor() as cursor:
            cursor.execute(statement)
            locked.set()
            done.wait(60)
        connections.close_all()

    holder = threading.Thread(target=hold)
    holder.start()
    assert locked.wait(60)
    with connection.cursor() as cursor:
        cursor.execute("SET lock_timeout = '20ms'")
    try:
        yield
    finally:
        done.set()
        holder.join(60)
        with connection.cursor() as cursor:
            cursor.execute("RESET lock_timeout")
