"""Attempts to sign in are counted for all processes together; with Redis gone sign-in works and each counts alone."""

from __future__ import annotations

import json
import os
import secrets
import subprocess
import sys
import time

import pytest
import redis
from django.conf import settings as configured
from django.core.cache import cache, caches
from django.test import Client

from agentroom.core import cache as shared
from tests.factories import PASSWORD, make_owner
from tests.services.redis import Redis

pytestmark = pytest.mark.django_db
EMAIL = "ada@example.test"
ATTEMPTS = 5  # for one address in five minutes
ELSEWHERE = "import sys; from django.core.cache import cache; {}"


@pytest.fixture
def server(throwaway_redis: Redis, settings, monkeypatch) -> Redis:
    settings.CACHES = {
        "default": {
            "BACKEND": "agentroom.core.cache.SharedCache",
            "LOCATION": throwaway_redis.url,
            "KEY_PREFIX": f"counted:{secrets.token_hex(4)}:cache",
        }
    }
    monkeypatch.setattr(shared, "_paused_until", 0.0)
    cache.clear()
    return throwaway_redis


@pytest.fixture
def ada(db):
    ada = make_owner("ada")
    ada.set_password(PASSWORD)
    ada.save()
    ada.emailaddress_set.create(email=EMAIL, verified=True, primary=True)
    return ada


def attempt(password: str = "not the password") -> str:
    answer = Client().post("/accounts/login/", {"login": EMAIL, "password": password})
    if answer.status_code == 302:
        return "in"
    assert answer.status_code == 200
    return "too many" if "Too many failed login attempts" in answer.content.decode() else "wrong"


def keys(server: Redis) -> list[str]:
    with redis.Redis.from_url(server.url) as client:
        return [key.decode() for key in client.scan_iter() if b"login_failed" in key and b":ip:" not in key]


def in_another_process(server: Redis, settings, key: str, statement: str) -> str:
    """Run a statement on the cache of a process of its own, configured as ours by the environment alone."""
    prefix = settings.CACHES["default"]["KEY_PREFIX"].removesuffix("cache")
    env = {
        **os.environ,
        "DJANGO_SETTINGS_MODULE": "agentroom.settings",
        "REDIS_URL": server.url,
        "AGENTROOM_REDIS_PREFIX": prefix,
        "AGENTROOM_DATA": str(configured.AGENTROOM_DATA),
    }
    command = [sys.executable, "-c", ELSEWHERE.format(statement), key]
    return subprocess.run(command, cwd=configured.BASE_DIR, env=env, capture_output=True, text=True, check=True).stdout


def test_another_process_sees_the_attempts_and_adds_its_own(server: Redis, settings, ada):
    assert attempt() == "wrong"
    (stored,) = keys(server)
    assert stored.startswith(settings.CACHES["default"]["KEY_PREFIX"])
    key = stored.partition(":cache:1:")[2]
    seen = in_another_process(server, settings, key, "print(len(cache.get(sys.argv[1])))")
    assert int(seen) == 1
    now = time.time()
    add = f"cache.set(sys.argv[1], [{now}] * {ATTEMPTS} , 300)"
    in_another_process(server, settings, key, add)
    assert attempt() == "too many"
    assert attempt(PASSWORD) == "too many"


def test_an_attempt_in_time_still_signs_in(server: Redis, ada):
    assert [attempt() for _ in range(ATTEMPTS - 1)] == ["wrong"] * (ATTEMPTS - 1)
    assert attempt(PASSWORD) == "in"


def test_with_redis_gone_people_sign_in_and_this_process_counts_for_itself(server: Redis, ada):
    assert attempt() == "wrong"
    server.kill()
    assert attempt(PASSWORD) == "in"
    answers = [attempt() for _ in range(ATTEMPTS + 1)]
    assert answers == ["wrong"] * ATTEMPTS + ["too many"]


def test_it_counts_together_again_once_redis_is_back(server: Redis, ada, monkeypatch):
    server.kill()
    assert attempt() == "wrong"
    server.start()
    monkeypatch.setattr(shared, "_paused_until", 0.0)
    assert attempt() == "wrong"
    assert len(keys(server)) == 1


def test_what_is_kept_is_data_and_no_pickle(server: Redis, ada):
    attempt()
    with redis.Redis.from_url(server.url) as client:
        stored = {key: client.get(key) for key in client.scan_iter()}
        assert stored and all(json.loads(value) is not None for value in stored.values())
        (key,) = keys(server)
        client.set(key, b"cos\nsystem\n(S'true'\ntR.")
    assert cache.get(key.partition(":cache:1:")[2], "nothing") == "nothing"
    assert attempt(PASSWORD) == "in"


def test_one_who_tries_many_addresses_makes_no_count_forgotten():
    assert caches["default"]._max_entries >= 10_000
