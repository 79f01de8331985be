"""What is a person's own: agents, credentials, Trust, sessions, the queue of what waits, and search."""

from __future__ import annotations

import re

import pytest

from agentroom.core.clock import shifted
from agentroom.core.limits import FRESH
from identity.models import Agent, Credential, Host
from rooms.models import Member, Mention
from rooms.operations.trust import relay_consent
from tests import factories
from tests.board.conftest import Browse
from tests.clients import McpClient, committed
from tests.conftest import Cast


def test_an_agent_is_made_connected_and_revoked(cast: Cast, browse: Browse):
    client = browse(cast.ada)
    with committed():
        page = client.post("/agents", {"name": "lookout", "host": "codex"})["Location"]
        made = client.post(f"{page}/credentials", {"label": "laptop", "host": "codex"}).content.decode()
    token = re.search(r'<pre id="token"[^>]*>([^<]+)</pre>', made)[1]
    assert f"export AGENTROOM_TOKEN={token}" in made
    assert "codex mcp add agentroom --url" in made
    assert McpClient(token, "codex").call("whoami")["name"] == "lookout"
    assert token not in client.get(page).content.decode()
    with committed():
        client.post(f"{page}/revocation")
    assert McpClient(token, "codex").call("whoami").code == "REVOKED"
    assert "Revoked" in client.get("/agents").content.decode()


@pytest.mark.parametrize("host", Host.values)
def test_each_client_gets_its_exact_line(host: str, cast: Cast, browse: Browse):
    with committed():
        made = browse(cast.ada).post(f"/agents/{cast.scout.plate}/credentials", {"host": host}).content.decode()
    address = "/mcp" if host == Host.GENERIC else f"/mcp/{host}"
    assert f"{address}" in made
    words = {
        "claude": "claude mcp add --transport http agentroom",
        "codex": "--bearer-token-env-var AGENTROOM_TOKEN",
        "openclaw": "openclaw mcp add agentroom --url",
        "hermes": "mcp_servers:",
        "generic": "Authorization: Bearer",
    }
    assert words[host] in made


def test_a_credential_asks_for_a_fresh_verification_and_makes_none_without(cast: Cast, browse: Browse):
    client = browse(cast.ada)
    with shifted(FRESH * 1.1):
        answer = client.post(
            f"/agents/{cast.scout.plate}/credentials", {"back": f"/agents/{cast.scout.plate}", "label": "late"}
        )
    assert answer.status_code == 302
    assert answer["Location"].startswith("/account/verify?next=%2Fagents%2F")
    assert not Credential.objects.filter(label="late").exists()


def test_verifying_again_comes_back_to_the_page_and_nowhere_else(cast: Cast, browse: Browse):
    cast.ada.set_password("the keel is laid at noon")
    cast.ada.save()
    client = browse(cast.ada)
    answer = client.get("/account/verify?next=/agents")
    assert answer["Location"] == "/accounts/reauthenticate/?next=%2Fagents"
    assert client.get("/account/verify?next=//evil.example")["Location"].endswith("next=%2F")
    with committed():
        answer = client.post(
            "/accounts/reauthenticate/?next=/agents", {"password": "the keel is laid at noon", "next": "/agents"}
        )
    assert answer["Location"] == "/agents"


def test_invoke_is_offered_with_its_risk_and_is_off(cast: Cast, browse: Browse):
    client, page = browse(cast.ada), f"/agents/{cast.scout.plate}"
    html = client.get(page).content.decode()
    assert re.search(r'value="INVOKE">', html)
    assert "at your cost" in html
    with committed():
        client.post(f"{page}/scopes", {"scope": ["READ", "INVOKE"]})
    cast.scout.refresh_from_db()
    assert cast.scout.granted.names == ["READ", "INVOKE"]


def test_an_agent_may_be_allowed_to_turn_trust_on(cast: Cast, browse: Browse):
    client = browse(cast.ada)
    for form, allowed in (({"allowed": "on"}, True), ({}, False)):
        with committed():
            client.post(f"/agents/{cast.scout.plate}/trust", form)
        assert Agent.objects.get(pk=cast.scout.pk).may_turn_trust_on is allowed


def test_trust_is_turned_on_by_whoever_verified_a_moment_ago_and_off_by_anyone(cast: Cast, browse: Browse):
    client, toggle = browse(cast.ada), f"/rooms/{cast.harbour.pk}/trust"
    with shifted(FRESH * 1.1):
        assert client.post(toggle, {"on": "1"})["Location"].startswith("/account/verify")
    assert not _trusts(cast)
    with committed():
        client.post(toggle, {"on": "1"})
    assert _trusts(cast)
    with shifted(FRESH * 1.1), committed():
        client.post(toggle, {"on": "0"})
    assert not _trusts(cast)


def test_a_request_for_trust_waits_under_needs_you_until_it_is_answered(cast: Cast, browse: Browse):
    with committed():
        relay_consent(factories.actor_of(cast.scout), room=cast.harbour.pk, mode="trust_room")
    client = browse(cast.ada)
    assert "asks you to turn Trust on" in client.get("/needs-you").content.decode()
    with committed():
        client.post(f"/rooms/{cast.harbour.pk}/trust/dismissal", {"back": "/needs-you"})
    assert "Nothing waits for you" in client.get("/needs-you").content.decode()


def test_stuck_work_is_ranked_by_what_waits_behind_it(cast: Cast, browse: Browse):
    blocked = [
        factories.make_task(cast.harbour, title, creator=cast.ada, assignee=cast.forge, status="blocked")
        for title in ("Alone", "Awaited")
    ]
    for _ in range(2):
        factories.make_task(cast.harbour, creator=cast.ada, depends_on=[blocked[1]])
    page = browse(cast.ada).get("/needs-you").content.decode()
    assert page.index("Awaited") < page.index("Alone")
    assert "2 tasks wait behind it" in page
    # grace has no say about forge, so it is not for her.
    assert "Awaited" not in browse(cast.grace).get("/needs-you").content.decode()


def test_a_mention_of_a_person_waits_until_they_have_seen_it(cast: Cast, browse: Browse):
    with committed():
        browse(cast.grace).post(
            f"/rooms/{cast.harbour.pk}/messages", {"body": "ada, please decide", "target": [f"human:{cast.ada.pk}"]}
        )
    client, mention = browse(cast.ada), Mention.objects.get()
    assert "ada, please decide" in client.get("/needs-you").content.decode()
    mention.refresh_from_db()
    assert mention.delivered_at is None  # looking changes nothing
    with committed():
        client.post(f"/needs-you/mentions/{mention.pk}/read")
    assert "please decide" not in client.get("/needs-you").content.decode()


def test_search_finds_messages_and_tasks_in_own_rooms_alone(cast: Cast, browse: Browse, outsider):
    factories.make_task(cast.harbour, "Polish the sextant", creator=cast.ada)
    with committed():
        browse(cast.ada).post(f"/rooms/{cast.harbour.pk}/messages", {"body": "The sextant is brass."})
    page = browse(cast.grace).get("/search?q=SEXTANT").content.decode()
    assert "Polish the sextant" in page
    assert "is brass" in page
    assert "Polish" not in browse(outsider).get("/search?q=sextant").content.decode()


@pytest.mark.parametrize("query", ["x" * 201, "a\x00b", "%", "_", "' OR 1=1 --", "\u200b", "🦜"])
def test_any_query_is_answered(query: str, cast: Cast, browse: Browse):
    answer = browse(cast.ada).get("/search", {"q": query})
    assert answer.status_code in {200, 400}


def test_a_session_is_listed_and_ended(cast: Cast, browse: Browse):
    here, there = browse(cast.ada), browse(cast.ada)
    page = here.get("/account").content.decode()
    end = re.search(r"/account/sessions/[0-9a-f]{32}/end", page)
    with committed():
        here.post(end[0])
    assert there.get("/").status_code == 302
    assert here.get("/").status_code == 200


def test_a_name_is_changed(cast: Cast, browse: Browse):
    with committed():
        browse(cast.ada).post("/account/name", {"name": "Ada L"})
    assert "Ada L" in browse(cast.ada).get("/account").content.decode()


def _trusts(cast: Cast) -> bool:
    return Member.objects.get(room=cast.harbour, owner=cast.ada).trusts_others
