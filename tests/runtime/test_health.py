"""Three questions: alive, ready, falling behind. A database away is no reason to be killed, but no requests then."""

from __future__ import annotations

import json
import time
from datetime import timedelta

import httpx
import pytest
from django.db import OperationalError, connection
from django.db.migrations.recorder import MigrationRecorder

from agentroom.celery import EVERY
from agentroom.core import background, health, slots
from agentroom.core.clock import db_now, shifted
from tests import factories
from tests.services.processes import wait_for

pytestmark = pytest.mark.django_db


@pytest.fixture(autouse=True)
def asked_for_the_first_time(monkeypatch):
    monkeypatch.setattr(health, "_seen_migrated", False)
    monkeypatch.setattr(health, "_facts", (0.0, {}))
    monkeypatch.setattr(health, "_started", time.monotonic())


@pytest.fixture
def no_database(monkeypatch):
    def away(*arguments: object, **options: object) -> None:
        raise OperationalError("connection refused, with an address nobody should see")

    monkeypatch.setattr(connection, "cursor", away)


def test_a_process_that_answers_is_alive(client):
    assert client.get("/healthz").json()["status"] == "ok"


def test_a_migrated_database_is_ready_also_when_asked_again(client):
    assert [client.get("/readyz").status_code for _ in range(2)] == [200, 200]


def test_a_missing_migration_is_not_ready_and_says_so(client):
    MigrationRecorder(connection).migration_qs.filter(app="core").latest("id").delete()
    answer = client.get("/readyz")
    assert (answer.status_code, answer.json()["missing"]) == (503, "migrations")
    assert answer.headers["Retry-After"]


@pytest.mark.damages
@pytest.mark.parametrize("path", ["/readyz", "/healthz/deep"])
def test_without_a_database_it_is_not_ready_and_tells_nothing_of_it(client, no_database, path):
    answer = client.get(path)
    assert (answer.status_code, answer.json()["missing"]) == (503, "database")
    assert "address" not in answer.content.decode()


@pytest.mark.damages
def test_without_a_database_it_is_still_alive(client, no_database):
    assert client.get("/healthz").status_code == 200


def test_deep_tells_ages_lanes_and_what_the_apps_add(client, monkeypatch):
    slots.mark("worker")
    monkeypatch.setitem(health.PROBES, "oldest_due_wake_seconds", lambda: 7)
    answer = client.get("/healthz/deep").json()
    assert answer["slots_age_seconds"]["worker"] < 60
    assert answer["oldest_due_wake_seconds"] == 7
    assert set(answer["lanes"]) >= {"worker", "beat", "waiting", "dropped", "failed", "broker_errors"}
    assert answer["redis"] == "not used"


def test_a_redis_that_is_away_is_told_and_is_no_failure(client, settings):
    settings.REDIS_URL = "redis://127.0.0.1:1/0"
    answer = client.get("/healthz/deep")
    assert (answer.status_code, answer.json()["redis"]) == (200, "away")
    assert answer.json()["behind"] == ["redis"]
    assert answer.json()["status"] == "degraded"


def test_what_has_just_started_is_not_behind(client):
    answer = client.get("/healthz/deep").json()
    assert (answer["status"], answer["behind"]) == ("ok", [])
    assert (answer["database"], answer["missing_migrations"]) == ("ok", 0)
    assert answer["layer"] == {"kind": "in process", "dropped": answer["layer"]["dropped"]}


@pytest.mark.parametrize("embedded", [True, False])
def test_jobs_that_nobody_runs_are_named_once_they_are_late(client, settings, monkeypatch, embedded):
    settings.EMBEDDED = embedded
    monkeypatch.setattr(background, "_beat", None)
    monkeypatch.setattr(health, "_started", time.monotonic() - 10 * max(EVERY.values()))
    behind = client.get("/healthz/deep").json()["behind"]
    assert behind == sorted([*EVERY, *([] if embedded else ["worker"])])


def test_a_beat_that_fell_silent_is_noticed_job_by_job(client, settings):
    settings.EMBEDDED = False
    with shifted(timedelta(minutes=-5)):
        for name in (*EVERY, "worker"):
            slots.mark(name)
    slots.mark("rooms.mail_invites")
    assert client.get("/healthz/deep").json()["behind"] == ["tasks.notice_stale", "worker"]


def test_a_missing_migration_and_a_long_line_show(client, monkeypatch):
    MigrationRecorder(connection).migration_qs.filter(app="core").latest("id").delete()
    background.later("tasks.notice_stale")
    background._put(("tasks.notice_stale", ()))
    waited = background._nudges._waiting
    waited.update(dict.fromkeys(waited, time.monotonic() - 60))
    answer = client.get("/healthz/deep").json()
    assert answer["behind"] == ["lanes", "migrations"]
    assert answer["missing_migrations"] == 1
    assert answer["lanes"]["waiting_seconds"] >= 60


def test_stale_tasks_are_counted_and_whoever_polls_keeps_nobody_busy(client, cast, django_assert_num_queries):
    for noticed in (None, db_now(), db_now()):
        factories.make_task(cast.harbour, creator=cast.ada, stale_noticed=noticed)
    factories.make_task(cast.harbour, creator=cast.ada, status="done", assignee=cast.scout, stale_noticed=db_now())
    assert client.get("/healthz/deep").json()["stale_tasks"] == 2
    with django_assert_num_queries(2):
        assert client.get("/healthz/deep").json()["stale_tasks"] == 2


def test_it_names_no_address_no_secret_and_nobody(client, cast, settings):
    settings.REDIS_URL = "redis://:hunter2@127.0.0.1:1/0"
    page = json.dumps(client.get("/healthz/deep").json())
    database = str(connection.settings_dict["NAME"])
    for secret in ("hunter2", "127.0.0.1", settings.SECRET_KEY, database, "ada", "Harbour"):
        assert secret not in page


@pytest.mark.parametrize("path", ["/healthz", "/readyz", "/healthz/deep"])
def test_asking_changes_nothing_and_other_methods_are_refused(client, path):
    assert client.head(path).status_code == 200
    assert client.post(path).status_code == 405


@pytest.mark.real_server
def test_the_worker_of_the_full_profile_shows_a_sign_of_life(full_server):
    def worker_is_seen() -> bool:
        deep = httpx.get(f"{full_server.url}/healthz/deep", trust_env=False, timeout=30).json()
        assert (deep["redis"], deep["layer"]["kind"]) == ("ok", "redis")
        assert deep["jobs_at_broker"] >= 0
        return "worker" in deep["slots_age_seconds"] and set(EVERY) <= set(deep["slots_age_seconds"])

    wait_for(worker_is_seen)


@pytest.mark.real_server
def test_the_embedded_beat_shows_that_it_has_run_everything(embedded_server):
    def all_ran() -> bool:
        deep = httpx.get(f"{embedded_server.url}/healthz/deep", trust_env=False, timeout=30).json()
        assert deep["behind"] == []
        return set(EVERY) <= set(deep["slots_age_seconds"])

    wait_for(all_ran)
