"""Pages run no script of a stranger: the policy of every page, and that nothing in it needs more."""

from __future__ import annotations

import base64
import hashlib
import re

import pytest
from django.contrib.staticfiles import finders
from django.test import Client

from agentroom.board.templatetags.board import HTMX, HTMX_INTEGRITY
from identity.actors import SystemActor
from identity.operations.signin import make_sign_in_link
from tasks.models import Task
from tests.board.conftest import Browse
from tests.conftest import Cast

PAGES = ["/", "/needs-you", "/search?q=hull", "/account", "/agents", "/nowhere"]
ROOM_PAGES = ["", "/done", "/talk", "/members", "/settings", "/tasks/new"]
ACTIVE = re.compile(
    r"\son[a-z]+\s*=|\sstyle\s*=|javascript:|<script(?![^>]*\bnonce=)[^>]*>|hx-on|<iframe|<object|<base ", re.I
)


@pytest.fixture
def pages(cast: Cast, task: Task) -> list[str]:
    inside = [f"/rooms/{cast.harbour.pk}{page}" for page in ROOM_PAGES]
    return [*PAGES, *inside, f"/rooms/{cast.harbour.pk}/tasks/{task.pk}", f"/agents/{cast.scout.plate}"]


def test_every_page_has_a_policy_with_its_own_nonce(cast: Cast, browse: Browse, pages: list[str]):
    client, nonces = browse(cast.ada), set()
    for page in pages:
        answer = client.get(page)
        policy = dict(
            part.strip().split(" ", 1) for part in answer["Content-Security-Policy"].split(";") if part.strip()
        )
        nonce = re.fullmatch(r"'nonce-(.+)'", policy["script-src"])
        assert nonce, page
        nonces.add(nonce[1])
        for name in ("default-src", "object-src", "base-uri", "frame-ancestors"):
            assert policy[name] == "'none'", page
        assert policy["form-action"] == policy["style-src"] == "'self'"
        scripts = re.findall(r"<script[^>]*>", answer.content.decode())
        assert scripts
        assert all(f'nonce="{nonce[1]}"' in script for script in scripts)
    assert len(nonces) == len(pages)


def test_every_page_is_kept_out_of_frames_caches_and_referrers(cast: Cast, browse: Browse, pages: list[str]):
    client = browse(cast.ada)
    for page in pages:
        answer = client.get(page)
        assert answer["X-Content-Type-Options"] == "nosniff"
        assert answer["Referrer-Policy"] == "no-referrer"
        assert answer["Cross-Origin-Opener-Policy"] == "same-origin"
        assert answer["X-Frame-Options"] == "DENY"
        assert "no-store" in answer["Cache-Control"]


def test_no_page_carries_code_of_its_own(cast: Cast, browse: Browse, pages: list[str]):
    client = browse(cast.ada)
    for page in pages:
        assert not ACTIVE.search(client.get(page).content.decode()), page


def test_the_pages_of_the_door_have_the_same_policy(db: None):
    for page in ("/accounts/login/", "/accounts/signup/", "/sign-in/0", "/invites/0", "/accounts/password/reset/"):
        answer = Client().get(page)
        assert "'nonce-" in answer["Content-Security-Policy"], page
        assert not ACTIVE.search(answer.content.decode()), page


def test_htmx_is_the_file_we_know_and_evaluates_nothing():
    with open(finders.find("django_htmx/htmx-2.min.js"), "rb") as file:
        digest = base64.b64encode(hashlib.sha384(file.read()).digest()).decode()
    assert f"sha384-{digest}" == HTMX_INTEGRITY
    for name in ("allowEval", "allowScriptTags", "includeIndicatorStyles", "historyEnabled"):
        assert HTMX[name] is False
    assert HTMX["selfRequestsOnly"] is True
    assert HTMX["historyCacheSize"] == 0


def test_the_session_cookie_is_for_the_server_alone(cast: Cast):
    link = make_sign_in_link(SystemActor(), owner_id=cast.ada.pk)
    cookie = Client().post(f"/sign-in/{link.token}").cookies["agentroom"]
    assert cookie["httponly"]
    assert cookie["samesite"] == "Lax"


def test_the_theme_is_a_cookie_and_leads_nowhere_else(cast: Cast, browse: Browse):
    client = browse(cast.ada)
    answer = client.post("/theme", {"theme": "dark", "back": "https://elsewhere.example/"})
    assert answer["Location"] == "/"
    assert 'data-theme="dark"' in client.get("/").content.decode()
    assert client.post("/theme", {"theme": '"><script>', "back": "//elsewhere.example"}).status_code == 400
    assert client.post("/theme", {"theme": "", "back": "//elsewhere.example"})["Location"] == "/"
    assert 'data-theme=""' in client.get("/").content.decode()
