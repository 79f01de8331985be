"""`manage.py runserver` is daphne: the same edge, the same lanes, and no log of full addresses."""

from __future__ import annotations

from collections.abc import Iterator

import httpx
import pytest

from tests.services.server import EmbeddedServer

pytestmark = pytest.mark.real_server


class DaphneServer(EmbeddedServer):
    def start(self) -> DaphneServer:
        self.manage("migrate", "--no-input")
        self._run("serve", "manage.py", "runserver", "--noreload", f"127.0.0.1:{self.port}").wait_until(self._answers)
        return self


@pytest.fixture(scope="module")
def daphne() -> Iterator[DaphneServer]:
    server = DaphneServer()
    try:
        yield server.start()
    finally:
        server.stop()


def test_it_serves_with_the_lanes_running(daphne):
    lanes = httpx.get(f"{daphne.url}/healthz/deep", trust_env=False).json()["lanes"]
    assert (lanes["worker"], lanes["beat"]) == (True, True)


def test_its_answers_carry_the_security_headers_static_files_included(daphne):
    for path in ("/healthz", "/static/admin/css/base.css", "/nothing"):
        answer = httpx.get(daphne.url + path, trust_env=False)
        assert answer.headers["x-content-type-options"] == "nosniff"
        assert "default-src 'none'" in answer.headers["content-security-policy"]


def test_a_body_over_its_cap_is_refused(daphne):
    assert httpx.post(daphne.url, content=b"x" * 300_000, trust_env=False).status_code == 413


def test_no_key_in_an_address_reaches_its_log(daphne):
    httpx.get(f"{daphne.url}/mcp?key=canary-9", trust_env=False)
    httpx.get(f"{daphne.url}/healthz", trust_env=False)
    assert "canary" not in daphne.log()
    assert '"agentroom.access"' in daphne.log()
