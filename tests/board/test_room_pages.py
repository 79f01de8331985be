"""Rooms, their settings, their members and their invites, by the forms of their pages."""

from __future__ import annotations

import re

import pytest
from django.test import Client

from identity.models import Owner
from rooms.models import AgentMember, Invite, Member, Room
from tests import factories
from tests.board.conftest import Browse
from tests.clients import committed
from tests.conftest import Cast


@pytest.fixture
def settings_page(cast: Cast, browse: Browse):
    """`settings_page(which, **fields)` sends one of the forms of Harbour's settings as ada."""
    client = browse(cast.ada)

    def send(which: str, **fields: str):
        with committed():
            return client.post(f"/rooms/{cast.harbour.pk}/settings/{which}", fields)

    return send


def test_a_person_makes_a_room_and_finds_it(cast: Cast, browse: Browse):
    client = browse(cast.grace)
    with committed():
        answer = client.post("/", {"name": "Quay", "objective": "Mend the quay"})
    room = Room.objects.get(name="Quay")
    assert answer["Location"] == f"/rooms/{room.pk}/members"
    assert "Mend the quay" in client.get(f"/rooms/{room.pk}").content.decode()


def test_a_refused_room_keeps_what_was_typed(cast: Cast, browse: Browse):
    answer = browse(cast.ada).post("/", {"name": "x" * 65, "objective": "Kept"})
    assert answer.status_code == 400
    assert "max 64 characters, got 65" in answer.content.decode()
    assert "Kept" in answer.content.decode()


def test_the_focus_is_set_over_what_was_read(cast: Cast, browse: Browse, settings_page):
    assert settings_page("focus", objective="First", expected_revision="1").status_code == 302
    answer = settings_page("focus", objective="Second", expected_revision="1")
    assert answer.status_code == 409
    assert "Second" in answer.content.decode()
    assert "First" in browse(cast.grace).get(f"/rooms/{cast.harbour.pk}").content.decode()


def test_the_room_document_is_written_and_read_by_members(cast: Cast, browse: Browse, settings_page):
    assert settings_page("document", content="# Rules\r\n\r\n- be kind", expected_version="0").status_code == 302
    cast.harbour.refresh_from_db()
    assert cast.harbour.document == "# Rules\n\n- be kind"
    assert "<li>be kind</li>" in browse(cast.grace).get(f"/rooms/{cast.harbour.pk}/settings").content.decode()


def test_a_token_is_kept_sealed_and_shown_by_its_end_alone(cast: Cast, browse: Browse, settings_page):
    settings_page("workspace", url="https://example.org/harbour.git", branch="main")
    assert settings_page("token", token="ghp_abcdefghijklmnop1234").status_code == 302
    admin = browse(cast.ada).get(f"/rooms/{cast.harbour.pk}/settings").content.decode()
    assert "1234" in admin
    assert "ghp_" not in admin
    member = browse(cast.grace).get(f"/rooms/{cast.harbour.pk}/settings").content.decode()
    assert "1234" not in member
    assert "example.org" not in member
    settings_page("token/removal")
    assert "1234" not in browse(cast.ada).get(f"/rooms/{cast.harbour.pk}/settings").content.decode()


def test_a_refused_token_is_not_shown_again(cast: Cast, settings_page):
    settings_page("workspace", url="https://example.org/harbour.git")
    answer = settings_page("token", token="tooshort with blanks")
    assert answer.status_code == 400
    assert "with blanks" not in answer.content.decode()


@pytest.mark.parametrize("url", ["http://example.org/x.git", "https://u:p@example.org/x.git", "javascript:alert(1)"])
def test_a_repository_that_is_no_plain_address_is_refused(url: str, settings_page):
    answer = settings_page("workspace", url=url)
    assert answer.status_code == 400
    assert "must" in answer.content.decode()


def test_a_room_is_paused_and_made_active_again(cast: Cast, settings_page):
    for status in ("paused", "stopped", "archived", "active"):
        assert settings_page("status", status=status).status_code == 302
        cast.harbour.refresh_from_db()
        assert cast.harbour.status == status
    assert settings_page("status", status="burning").status_code == 400


def test_a_link_invites_a_stranger_who_looks_signs_in_and_joins_with_an_agent(
    cast: Cast, browse: Browse, outsider: Owner
):
    Owner.objects.filter(pk=outsider.pk).update(verified=True)
    agent = factories.make_agent(outsider, "parrot")
    path = _invited(cast, browse)
    stranger = Client().get(path).content.decode()
    assert "invites you to Harbour" in stranger
    assert path in stranger.replace("%2F", "/")
    client = browse(outsider)
    assert "parrot" in client.get(path).content.decode()
    assert Invite.objects.get().state == "pending"
    with committed():
        answer = client.post(path, {"plates": [agent.plate]})
    assert answer["Location"] == f"/rooms/{cast.harbour.pk}"
    assert AgentMember.objects.filter(room=cast.harbour, agent=agent, left_at=None).exists()
    assert Client().get(path).status_code == 404


def test_an_invite_is_shown_once_and_withdrawn(cast: Cast, browse: Browse, outsider: Owner):
    path = _invited(cast, browse)
    client, members = browse(cast.ada), f"/rooms/{cast.harbour.pk}/members"
    page = client.get(members).content.decode()
    assert path not in page
    withdrawal = re.search(rf"/rooms/{cast.harbour.pk}/invites/[0-9A-Z]+/withdrawal", page)
    with committed():
        client.post(withdrawal[0])
    assert browse(outsider).post(path).status_code == 409


def test_an_invite_by_plate_is_found_under_needs_you(cast: Cast, browse: Browse, outsider: Owner):
    Owner.objects.filter(pk=outsider.pk).update(verified=True)
    agent = factories.make_agent(outsider, "parrot")
    with committed():
        form = {"kind": "agent_plate", "target": agent.plate}
        assert browse(cast.ada).post(f"/rooms/{cast.harbour.pk}/invites", form).status_code == 200
    client = browse(outsider)
    page = client.get("/needs-you").content.decode()
    accept = re.search(r'action="(/invites/[0-9A-Z]{26}/accept)"', page)
    with committed():
        assert client.post(accept[1])["Location"] == f"/rooms/{cast.harbour.pk}"


def test_a_refused_invite_says_what_is_wrong_and_keeps_the_form(cast: Cast, browse: Browse):
    form = {"kind": "human_email", "target": "not an address"}
    answer = browse(cast.ada).post(f"/rooms/{cast.harbour.pk}/invites", form)
    assert answer.status_code == 400
    assert "not an address" in answer.content.decode()
    assert not Invite.objects.exists()


def test_agents_come_and_go_and_roles_change(cast: Cast, browse: Browse):
    extra = factories.make_agent(cast.ada, "spare")
    client, room = browse(cast.ada), f"/rooms/{cast.harbour.pk}"
    with committed():
        client.post(f"{room}/agents", {"plate": extra.plate})
        assert extra.plate in client.get(f"{room}/members").content.decode()
        client.post(f"{room}/agents/{extra.plate}/removal")
        client.post(f"{room}/members/{cast.grace.pk}/role", {"role": "admin"})
    assert not AgentMember.objects.filter(agent=extra, left_at=None).exists()
    assert Member.objects.get(room=cast.harbour, owner=cast.grace).role == "admin"
    with committed():
        assert browse(cast.grace).post(f"{room}/members/leave")["Location"] == "/"
    assert browse(cast.grace).get(room).status_code == 403


def test_an_agent_of_somebody_else_cannot_be_brought(cast: Cast, browse: Browse, outsider: Owner):
    theirs = factories.make_agent(outsider, "parrot")
    answer = browse(cast.ada).post(f"/rooms/{cast.harbour.pk}/agents", {"plate": theirs.plate})
    assert answer.status_code == 404


def _invited(cast: Cast, browse: Browse) -> str:
    """The path of a fresh invite by link."""
    with committed():
        answer = browse(cast.ada).post(f"/rooms/{cast.harbour.pk}/invites", {"kind": "human_link"})
    return re.search(r"(/invites/[\w-]{20,})</pre>", answer.content.decode())[1]
