"""What travels to PostgreSQL in one message: in order, all or nothing, and the connection outlives what fails in it."""

from __future__ import annotations

import os
import socket

import pytest
from django.db import IntegrityError, OperationalError, ProgrammingError
from django.db.utils import ConnectionHandler

from agentroom.core.postgres.message import PLANS
from agentroom.settings import _postgres
from tests.services.postgres import create_database

INSERT = "INSERT INTO word (id, word) VALUES (%s, %s)"
WORDS = "SELECT word FROM word ORDER BY id"


@pytest.fixture
def database(throwaway_postgres, django_db_blocker):
    """One connection through the product's own settings, to a server of the test's own with one table in it."""
    with django_db_blocker.unblock():
        url = create_database(throwaway_postgres.url, "messages")
        settings = {**_postgres(url), "TIME_ZONE": None, "ATOMIC_REQUESTS": False, "AUTOCOMMIT": True}
        connection = ConnectionHandler({"default": settings})["default"]
        with connection.cursor() as cursor:
            cursor.execute("CREATE TABLE word (id int PRIMARY KEY, word text NOT NULL)")
        yield connection
        connection.close()
        connection.close_pool()


def words(database):
    return [word for (word,) in database.exchange([(WORDS, ())])[0].rows]


def begin(database):
    database.set_autocommit(False, force_begin_transaction_with_broken_autocommit=True)


def test_each_statement_sees_what_the_one_before_it_did(database):
    first, read, second = database.exchange([(INSERT, ("1", "a")), (WORDS, ()), (INSERT, ("2", "b"))])
    assert (first.count, read.rows, second.count) == (1, [("a",)], 1)
    assert words(database) == ["a", "b"]


def test_the_first_failure_is_told_and_nothing_of_its_message_stays(database):
    with pytest.raises(IntegrityError, match="duplicate key"):
        database.exchange([(INSERT, ("1", "a")), (INSERT, ("1", "again")), ("SELECT missing FROM word", ())])
    assert words(database) == []


def test_a_statement_that_failed_can_be_sent_again(database):
    for _ in range(2):
        with pytest.raises(ProgrammingError, match="missing"):
            database.exchange([("SELECT missing FROM word", ())])
    assert database.exchange([(INSERT, ("1", "a"))])[0].count == 1


def test_an_announced_transaction_begins_with_its_first_message_and_can_be_undone(database):
    begin(database)
    database.exchange([(INSERT, ("1", "a"))])
    database.exchange([(INSERT, ("2", "b"))])
    database.rollback()
    database.set_autocommit(True)
    assert words(database) == []


def test_an_announced_transaction_holds_what_a_plain_cursor_does_in_it(database):
    begin(database)
    with database.cursor() as cursor:
        cursor.execute(INSERT, ("1", "a"))
    database.exchange([(INSERT, ("2", "b"))])
    database.rollback()
    database.set_autocommit(True)
    assert words(database) == []


def test_a_transaction_in_which_nothing_was_asked_leaves_the_connection_idle(database):
    begin(database)
    database.commit()
    database.set_autocommit(True)
    database.exchange([(INSERT, ("1", "a"))])
    database.close()
    assert words(database) == ["a"]


def test_a_failure_within_a_transaction_leaves_it_to_be_rolled_back(database):
    begin(database)
    with pytest.raises(IntegrityError):
        database.exchange([(INSERT, ("1", "a")), (INSERT, ("1", "again"))])
    with pytest.raises(Exception, match="transaction is aborted"):
        database.exchange([(WORDS, ())])
    database.rollback()
    database.set_autocommit(True)
    assert words(database) == []


def test_more_statements_than_plans_are_kept_work_and_the_oldest_plans_go(database):
    for number in range(PLANS + 20):
        assert database.exchange([(f"SELECT {number} + %s::int", ("1",))])[0].rows == [(number + 1,)]
    ((kept,),) = database.exchange([("SELECT count(*) FROM pg_prepared_statements", ())])[0].rows
    assert PLANS - 1 <= kept <= PLANS


def test_failures_leave_no_plans_behind_on_the_server(database):
    counting = ("SELECT count(*) FROM pg_prepared_statements", ())
    database.exchange([(INSERT, ("1", "a")), (WORDS, ()), counting])
    before = database.exchange([counting])[0].rows
    for _ in range(5):
        with pytest.raises(IntegrityError):
            database.exchange([(WORDS, ()), (INSERT, ("1", "again")), ("SELECT 'never reached'", ())])
    assert database.exchange([counting])[0].rows == before
    assert database.exchange([("SELECT 'never reached'", ())])[0].rows == [("never reached",)]


def test_a_percent_sign_is_a_percent_sign(database):
    assert database.exchange([("SELECT 'a%%s' || %s", ("%",))])[0].rows == [("a%s%",)]


def test_a_long_message_in_both_directions_comes_through(database):
    text = "x" * 1_000_000
    answers = database.exchange([("SELECT %s::text", (text,))] * 12)
    assert {answer.rows[0][0] for answer in answers} == {text}


def test_a_server_that_dies_fails_the_message_and_the_next_connection_works(database, throwaway_postgres):
    database.exchange([(INSERT, ("1", "a"))])
    throwaway_postgres.kill()
    with pytest.raises(OperationalError):
        database.exchange([(WORDS, ())])
    database.close()
    throwaway_postgres.start()
    assert words(database) == ["a"]


@pytest.mark.parametrize("way", [socket.SHUT_WR, socket.SHUT_RDWR])
@pytest.mark.parametrize("begins", [False, True])
def test_a_line_that_was_cut_is_the_connections_failure_and_nothing_elses(database, way, begins):
    """However libpq comes to notice it: by writing, or by reading what is left."""
    database.exchange([(INSERT, ("1", "a"))])
    if begins:
        begin(database)
    with socket.socket(fileno=os.dup(database.connection.fileno())) as line:
        line.shutdown(way)
    with pytest.raises(OperationalError):
        database.exchange([(WORDS, ()), (INSERT, ("2", "b")), ("SELECT 1", ())])
    database.close()
    assert words(database) == ["a"]


def test_a_process_of_the_server_that_ends_in_the_middle_is_the_connections_failure(database):
    with pytest.raises(OperationalError):
        database.exchange([(INSERT, ("1", "a")), ("SELECT pg_terminate_backend(pg_backend_pid())", ()), (WORDS, ())])
    database.close()
    assert words(database) == []
