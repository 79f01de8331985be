"""The product starts as real processes in both profiles, and ends when asked."""

from __future__ import annotations

import signal

import httpx
import pytest

pytestmark = pytest.mark.real_server


def test_the_product_answers_in_both_profiles(any_server):
    assert httpx.get(f"{any_server.url}/healthz", trust_env=False).status_code == 200


def test_both_profiles_say_their_database_is_ready(any_server):
    assert httpx.get(f"{any_server.url}/readyz", trust_env=False).status_code == 200


def test_the_full_profile_is_a_web_server_a_worker_and_beat(full_server):
    assert {name for name, process in full_server.processes.items() if process.running} == {"web", "worker", "beat"}


@pytest.mark.parametrize("number", [signal.SIGTERM, signal.SIGINT])
def test_the_embedded_server_ends_in_order_when_asked(serve, number):
    process = serve().processes["serve"]
    process.stop_signal = number
    assert process.stop() == 0


def test_the_embedded_server_comes_back_after_kill_9(serve):
    server = serve()
    server.processes["serve"].kill()
    server.restart()
    assert httpx.get(f"{server.url}/readyz", trust_env=False).status_code == 200


def test_a_second_embedded_server_on_the_same_data_is_refused_with_a_reason(serve):
    server = serve()
    with pytest.raises(RuntimeError, match=r"(?i)serv|use"):
        server.manage("serve")
