"""Joining a room: whom one brings along, and what becomes of whoever brings nobody."""

from __future__ import annotations

import re

import pytest

from identity.models import Owner
from rooms.models import AgentMember
from rooms.operations.invites import invite
from tests import factories
from tests.board.conftest import Browse
from tests.clients import committed
from tests.conftest import Cast


@pytest.fixture
def guest(outsider: Owner) -> Owner:
    Owner.objects.filter(pk=outsider.pk).update(verified=True)
    return outsider


@pytest.fixture(params=["link", "needs you"])
def invited(request: pytest.FixtureRequest, cast: Cast, guest: Owner) -> tuple[str, str]:
    """The page on which the guest decides, and where its form goes: by link, and by an invite that names the guest."""
    named = {"kind": "human_email", "target": guest.email}
    with committed():
        made = invite(
            factories.human_of(cast.ada),
            room=cast.harbour.pk,
            **({"kind": "human_link"} if request.param == "link" else named),
        )
    if request.param == "link":
        return f"/invites/{made.token}", f"/invites/{made.token}"
    return "/needs-you", f"/invites/{made.invite_id}/accept"


def ticks(page: str) -> dict[str, bool]:
    return {plate: "checked" in more for plate, more in re.findall(r'name="plates" value="([^"]*)"([^>]*)>', page)}


def test_the_only_agent_is_ticked(cast: Cast, guest: Owner, browse: Browse, invited: tuple[str, str]):
    only = factories.make_agent(guest, "parrot")
    factories.make_agent(guest, "gone", revoked_at=only.created_at)
    page, accept = invited
    client = browse(guest)
    assert ticks(client.get(page).content.decode()) == {only.plate: True}
    with committed():
        answer = client.post(accept, {"plates": [only.plate]})
    assert answer["Location"] == f"/rooms/{cast.harbour.pk}"
    assert AgentMember.objects.filter(room=cast.harbour, agent=only, left_at=None).exists()


def test_of_several_none_is_ticked_and_the_page_says_what_that_means(
    guest: Owner, browse: Browse, invited: tuple[str, str]
):
    both = [factories.make_agent(guest, name) for name in ("parrot", "monkey")]
    page = browse(guest).get(invited[0]).content.decode()
    assert ticks(page) == {agent.plate: False for agent in both}
    assert "nobody works for you" in page


def test_whoever_has_no_agent_is_told_what_that_means(guest: Owner, browse: Browse, invited: tuple[str, str]):
    page = browse(guest).get(invited[0]).content.decode()
    assert "nobody will work for you there" in page


def test_whoever_joins_alone_lands_where_an_agent_is_brought_in(
    cast: Cast, guest: Owner, browse: Browse, invited: tuple[str, str]
):
    factories.make_agent(guest, "parrot")
    client = browse(guest)
    with committed():
        answer = client.post(invited[1], follow=True)
    assert answer.redirect_chain[-1][0] == f"/rooms/{cast.harbour.pk}/members"
    assert "no agent of yours is" in answer.content.decode()
    assert "Bring it in" in answer.content.decode()
