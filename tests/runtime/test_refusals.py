"""Unsafe configuration does not start, and each refusal names what to set instead."""

from __future__ import annotations

import os
import subprocess
import sys
from pathlib import Path

import pytest
from django.core.exceptions import ImproperlyConfigured
from django.db import connection

from agentroom.core import checks
from tests.services.postgres import create_database
from tests.services.processes import free_port

CHECKOUT = Path(__file__).resolve().parents[2]
STRONG = "kJ2-9fLq7Xz_4vBn8TyR1cWm5sHd3gPa"
PUBLIC = "https://room.example.org"
SERVER = "postgresql://agentroom@db.example.org/agentroom"
REDIS = "redis://:secret@redis.example.org:6379/0"
FULL = {
    "AGENTROOM_PROFILE": "full",
    "EMBEDDED": False,
    "AGENTROOM_BASE_URL": PUBLIC,
    "DATABASE_URL": SERVER,
    "REDIS_URL": REDIS,
    "SECRET_KEY": STRONG,
}
EMBEDDED = {
    "AGENTROOM_PROFILE": "embedded",
    "EMBEDDED": True,
    "AGENTROOM_BASE_URL": "http://127.0.0.1:8000",
    "AGENTROOM_HOST": "127.0.0.1",
    "REDIS_URL": "",
    "SECRET_KEY": STRONG,
}

UNSAFE = [
    (1, FULL, {"AGENTROOM_BASE_URL": "room.example.org"}),
    (1, FULL, {"AGENTROOM_BASE_URL": "https://room.example.org/room"}),
    (2, FULL, {"AGENTROOM_BASE_URL": "http://room.example.org"}),
    (2, EMBEDDED, {"AGENTROOM_BASE_URL": "http://192.168.1.5:8000"}),
    (3, EMBEDDED, {"AGENTROOM_HOST": "0.0.0.0"}),
    (3, EMBEDDED, {"AGENTROOM_HOST": "::"}),
    (4, FULL, {"DEBUG": True}),
    (4, EMBEDDED, {"DEBUG": True, "AGENTROOM_HOST": "0.0.0.0"}),
    (5, FULL, {"ALLOWED_HOSTS": ["*"]}),
    (6, FULL, {"AGENTROOM_TRUSTED_PROXIES": ["*"]}),
    (6, FULL, {"AGENTROOM_TRUSTED_PROXIES": ["0.0.0.0/0"]}),
    (7, FULL, {"SECRET_KEY": "insecure-key-for-tools-that-serve-nobody"}),
    (7, FULL, {"SECRET_KEY": "short"}),
    (7, FULL, {"SECRET_KEY": "a" * 60}),
    (8, FULL, {"AGENTROOM_PROFILE": "production"}),
    (9, FULL, {"DATABASE_URL": ""}),
    (9, FULL, {"REDIS_URL": ""}),
    (10, FULL, {"REDIS_URL": "redis://redis.example.org:6379/0"}),
    (10, FULL, {"REDIS_URL": "redis://10.0.0.4:6379/0"}),
]
SAFE = [
    (FULL, {}),
    (FULL, {"AGENTROOM_HOST": "0.0.0.0"}),
    (FULL, {"REDIS_URL": "redis://127.0.0.1:6379/0"}),
    (FULL, {"REDIS_URL": "unix:///run/redis.sock"}),
    (FULL, {"AGENTROOM_TRUSTED_PROXIES": ["unix", "10.0.0.0/8", "192.0.2.1"]}),
    (EMBEDDED, {}),
    (EMBEDDED, {"DEBUG": True}),
    (EMBEDDED, {"AGENTROOM_HOST": "::1"}),
    (EMBEDDED, {"AGENTROOM_BASE_URL": "http://localhost:9000"}),
]


def refused(settings, base: dict[str, object], changed: dict[str, object]) -> list[str]:
    for name, value in {**base, **changed}.items():
        setattr(settings, name, value)
    return [message.id for message in checks.configuration(None)]


@pytest.mark.parametrize(("number", "base", "changed"), UNSAFE)
def test_an_unsafe_setting_is_refused(settings, number, base, changed):
    assert f"agentroom.E{number:03}" in refused(settings, base, changed)


@pytest.mark.parametrize(("base", "changed"), SAFE)
def test_a_safe_configuration_is_not_refused(settings, base, changed):
    assert refused(settings, base, changed) == []


def test_every_refusal_says_what_to_do(settings):
    for _, base, changed in UNSAFE:
        refused(settings, base, changed)
        assert all(message.hint for message in checks.configuration(None))


@pytest.mark.django_db
def test_the_database_of_the_tests_is_safe():
    assert checks.database(None, databases=["default"]) == []


@pytest.mark.django_db
@pytest.mark.parametrize("setting", ["synchronous_commit"])
def test_a_postgresql_that_may_lose_acknowledged_work_is_refused(setting):
    if connection.vendor == "sqlite":
        assert checks.database(None, databases=["default"]) == []
        return
    with connection.cursor() as cursor:
        cursor.execute(f"SET LOCAL {setting} = off")
    found = checks.database(None, databases=["default"])
    assert [message.id for message in found] == ["agentroom.E013"]
    assert setting in found[0].msg


@pytest.mark.django_db
def test_a_server_started_without_serve_refuses_with_every_reason(settings):
    settings.DEBUG, settings.AGENTROOM_BASE_URL = True, "http://room.example.org"
    with pytest.raises(ImproperlyConfigured, match=r"plain http off loopback(.|\n)*AGENTROOM_DEBUG"):
        checks.refuse_unsafe()


def run(*command: str, **env: str) -> subprocess.CompletedProcess[str]:
    kept = {name: value for name, value in os.environ.items() if not name.startswith(("AGENTROOM_", "DATABASE_"))}
    return subprocess.run(
        [sys.executable, *command],
        cwd=CHECKOUT,
        env={**kept, "PORT": str(free_port()), **env},
        capture_output=True,
        text=True,
        timeout=120,
    )


@pytest.mark.real_server
def test_serve_does_not_start_on_an_open_address(tmp_path):
    done = run("manage.py", "serve", AGENTROOM_DATA=str(tmp_path), HOST="0.0.0.0")
    assert done.returncode != 0
    assert "HOST=127.0.0.1" in done.stderr


@pytest.mark.real_server
@pytest.mark.parametrize(
    "command",
    [
        ("-m", "uvicorn", "agentroom.asgi:application", "--port", "0"),
        ("-m", "celery", "-A", "agentroom", "worker", "-P", "solo"),
        ("manage.py", "serve"),
        ("manage.py", "migrate"),
    ],
)
def test_no_process_of_the_full_profile_starts_with_the_default_key(command, database_server, tmp_path):
    database = create_database(database_server, f"refused_{free_port()}")
    done = run(
        *command,
        AGENTROOM_PROFILE="full",
        AGENTROOM_DATA=str(tmp_path),
        DATABASE_URL=database,
        REDIS_URL="redis://127.0.0.1:1/0",
    )
    assert done.returncode != 0
    assert "AGENTROOM_SECRET_KEY is missing or weak" in done.stdout + done.stderr
