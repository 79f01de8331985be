"""The workspace pointer and its token: admins only, and the token never comes back (invariant 25)."""

from __future__ import annotations

import pytest
from pydantic import ValidationError

from agentroom.core.errors import Forbidden, Validation
from agentroom.core.models import AuditRow, Revision
from identity import keyring
from rooms.forms import SetWorkspace, SetWorkspaceToken
from rooms.models import Room
from rooms.operations.workspace import remove_workspace_token, set_workspace, set_workspace_token
from rooms.queries.settings import workspace_view
from tests import factories

TOKEN = "github_pat_11ABCDEFG_secret_Zq7X"
URL = "https://git.example/ada/hull.git"


@pytest.fixture
def pointed(cast, as_person):
    """Harbour with a repository and a token."""
    ada = as_person(cast.ada)
    set_workspace(ada, room=cast.harbour.pk, path="~/hull", url=URL, branch="main")
    set_workspace_token(ada, room=cast.harbour.pk, token=TOKEN)
    return cast.harbour


def test_the_token_is_sealed_at_rest_and_shown_by_its_tail(pointed, cast, as_person):
    view = workspace_view(as_person(cast.ada), room=pointed.pk)
    assert (view.path, view.url, view.branch, view.has_token, view.token_tail) == ("~/hull", URL, "main", True, "Zq7X")
    sealed = bytes(Room.objects.get(pk=pointed.pk).workspace_token_encrypted)
    assert TOKEN.encode() not in sealed
    assert keyring.unseal(sealed).decode() == TOKEN


def test_plain_members_and_agents_neither_see_nor_set_any_of_it(pointed, cast, as_person):
    for who in (as_person(cast.grace), factories.actor_of(cast.scout), factories.actor_of(cast.quill)):
        with pytest.raises(Forbidden):
            workspace_view(who, room=pointed.pk)
        with pytest.raises(Forbidden):
            set_workspace(who, room=pointed.pk, path="/tmp")
        with pytest.raises(Forbidden):
            set_workspace_token(who, room=pointed.pk, token=TOKEN)
        with pytest.raises(Forbidden):
            remove_workspace_token(who, room=pointed.pk)


def test_neither_audit_nor_history_tells_the_pointer_or_the_token(pointed):
    told = str(list(AuditRow.objects.values())) + str(list(Revision.objects.values()))
    for secret in (TOKEN, "Zq7X", URL, "~/hull"):
        assert secret not in told


def test_a_token_is_rotated_and_removed(pointed, cast, as_person):
    ada = as_person(cast.ada)
    assert set_workspace_token(ada, room=pointed.pk, token="another-long-token-9999").token_tail == "9999"
    gone = remove_workspace_token(ada, room=pointed.pk)
    assert (gone.has_token, gone.token_tail) == (False, None)
    acts = list(AuditRow.objects.filter(chain=pointed.pk).order_by("seq").values_list("act", flat=True))
    assert acts[1:] == ["workspace.token.set", "workspace.token.rotate", "workspace.token.remove"]


def test_another_repository_drops_the_token_of_the_old_one(pointed, cast, as_person):
    ada = as_person(cast.ada)
    assert set_workspace(ada, room=pointed.pk, path="~/hull", url=URL, branch="dev").has_token is True
    moved = set_workspace(ada, room=pointed.pk, path="~/hull", url="https://git.example/x/y", branch="dev")
    assert moved.has_token is False


def test_a_short_token_shows_no_tail(pointed, cast, as_person):
    assert set_workspace_token(as_person(cast.ada), room=pointed.pk, token="12345678").token_tail is None


def test_a_token_or_a_branch_needs_a_repository(cast, as_person):
    ada = as_person(cast.ada)
    with pytest.raises(Validation):
        set_workspace_token(ada, room=cast.harbour.pk, token=TOKEN)
    with pytest.raises(Validation):
        set_workspace(ada, room=cast.harbour.pk, branch="main")


@pytest.mark.parametrize("url", [URL, "ssh://git@git.example/hull", "git@git.example:ada/hull.git", ""])
def test_repository_addresses(url):
    assert SetWorkspace(room="0" * 26, url=url).url == url


@pytest.mark.parametrize(
    "url",
    [
        "http://git.example/hull",
        "file:///etc/passwd",
        "https://ada:secret@git.example/hull",
        "https://token@git.example/hull",
        "https://git.example/hull?token=x",
        "https://git.example/",
        "javascript:alert(1)",
        "--upload-pack=evil",
        "ext::sh -c whoami",
        "https://git.example/a\nb",
    ],
)
def test_addresses_that_carry_secrets_or_are_none(url):
    with pytest.raises(ValidationError):
        SetWorkspace(room="0" * 26, url=url)


@pytest.mark.parametrize("branch", ["-x", "a..b", "a b", "a~1", "a:b", "a/", "a.lock", "a\\b", "@{-1}", "a//b"])
def test_names_that_are_no_branch(branch):
    with pytest.raises(ValidationError):
        SetWorkspace(room="0" * 26, url=URL, branch=branch)


@pytest.mark.parametrize("token", ["short", "has space in it", "line\nbreak-token", "ü" * 20, "x" * 501])
def test_text_that_is_no_token(token):
    with pytest.raises(ValidationError):
        SetWorkspaceToken(room="0" * 26, token=token)
