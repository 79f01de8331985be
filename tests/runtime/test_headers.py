"""No answer of any kind leaves without its security headers, and a page's policy allows only its own nonce."""

from __future__ import annotations

import re

import httpx
import pytest

pytestmark = pytest.mark.real_server

MANDATORY = {
    "x-content-type-options": "nosniff",
    "referrer-policy": "no-referrer",
    "cross-origin-opener-policy": "same-origin",
    "cross-origin-resource-policy": "same-origin",
    "x-frame-options": "DENY",
}
DIRECTIVES = ["default-src 'none'", "object-src 'none'", "base-uri 'none'", "frame-ancestors 'none'", "form-action "]
ASKED = [
    ("GET", "/healthz", {}),
    ("GET", "/readyz", {}),
    ("GET", "/", {}),
    ("GET", "/accounts/login/", {}),
    ("GET", "/admin/login/", {}),
    ("GET", "/static/admin/css/base.css", {}),
    ("GET", "/static/../manage.py", {}),
    ("GET", "/no-such-page", {}),
    ("POST", "/no-such-page", {}),
    ("POST", "/mcp", {}),
    ("POST", "/mcp/claude", {"Origin": "https://evil.example"}),
    ("GET", "/.well-known/jwks.json", {}),
    ("POST", "/v1/tools/whoami", {}),
    ("OPTIONS", "/v1/tools/whoami", {}),
    ("TRACE", "/healthz", {}),
    ("GET", "/healthz", {"Host": "evil.example"}),
    ("GET", "/%ff%00", {}),
]


def ask(server, method: str, path: str, headers: dict[str, str] | None = None) -> httpx.Response:
    with httpx.Client(trust_env=False, timeout=30) as client:
        request = client.build_request(method, server.url + path, headers=headers or {})
        return client.send(request)


@pytest.mark.parametrize(("method", "path", "headers"), ASKED)
def test_every_answer_carries_the_security_headers(embedded_server, method, path, headers):
    answer = ask(embedded_server, method, path, headers)
    assert {name: answer.headers.get(name) for name in MANDATORY} == MANDATORY
    policy = answer.headers["content-security-policy"]
    assert [part for part in DIRECTIVES if part not in policy] == []
    assert "unsafe" not in policy
    assert "server" not in answer.headers
    assert answer.headers["x-request-id"].startswith("req_")


def test_a_refused_body_carries_them_too(embedded_server):
    with httpx.Client(trust_env=False, timeout=30) as client:
        answer = client.post(embedded_server.url, content=b"x" * 300_000)
    assert answer.status_code == 413
    assert {name: answer.headers.get(name) for name in MANDATORY} == MANDATORY


def test_a_pages_policy_allows_scripts_by_a_nonce_that_is_never_the_same(embedded_server):
    policies = [ask(embedded_server, "GET", "/accounts/login/").headers["content-security-policy"] for _ in range(2)]
    nonces = [re.search(r"script-src 'nonce-([\w-]{20,})'", policy)[1] for policy in policies]
    assert nonces[0] != nonces[1]


def test_the_nonce_of_the_policy_is_the_one_in_the_page(embedded_server):
    page = ask(embedded_server, "GET", "/accounts/login/")
    nonce = re.search(r"'nonce-([\w-]+)'", page.headers["content-security-policy"])[1]
    assert set(re.findall(r"<script[^>]*nonce=\"([^\"]*)\"", page.text)) == {nonce}
    assert len(re.findall(r"<script\b", page.text)) == page.text.count(f'nonce="{nonce}"')


def test_an_answer_with_data_in_it_is_not_kept_by_caches(embedded_server):
    assert "no-store" in ask(embedded_server, "GET", "/readyz").headers["cache-control"]


def test_plain_http_on_loopback_promises_no_tls(embedded_server):
    assert "strict-transport-security" not in ask(embedded_server, "GET", "/healthz").headers
