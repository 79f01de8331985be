"""Three questions: alive, ready, falling behind. A database away is no reason to be killed, but no requests then."""

from __future__ import annotations

import httpx
import pytest
from django.db import OperationalError, connection
from django.db.migrations.recorder import MigrationRecorder

from agentroom.core import health, slots

pytestmark = pytest.mark.django_db


@pytest.fixture(autouse=True)
def asked_for_the_first_time(monkeypatch):
    monkeypatch.setattr(health, "_seen_migrated", False)


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


@pytest.mark.parametrize("path", ["/readyz", "/healthz/deep"])
def test_without_a_database_it_is_not_ready_and_tells_nothing_of_it(client, no_database, path):
    answer = client.get(path)
    assert (answer.status_code, answer.json()["missing"]) == (503, "database")
    assert "address" not in answer.content.decode()


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


@pytest.mark.parametrize("path", ["/healthz", "/readyz", "/healthz/deep"])
def test_asking_changes_nothing_and_other_methods_are_refused(client, path):
    assert client.head(path).status_code == 200
    assert client.post(path).status_code == 405


@pytest.mark.real_server
def test_the_worker_of_the_full_profile_shows_a_sign_of_life(full_server):
    deep = httpx.get(f"{full_server.url}/healthz/deep", trust_env=False, timeout=30).json()
    assert deep["redis"] == "ok"
