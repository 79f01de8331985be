"""Every address of the people's door, for everyone who may come by. A route without a row here fails."""

from __future__ import annotations

import re
from urllib.parse import urlencode

import pytest
from django.test import Client
from django.urls import reverse

from agentroom.board import urls
from agentroom.core import ids
from identity.models import Owner
from rooms.inputs import MentionTarget
from rooms.models import Mention, Message, Room
from rooms.operations.invites import invite
from rooms.operations.messages import send_message
from tasks.models import Task
from tests import factories
from tests.board.conftest import Browse
from tests.clients import committed
from tests.conftest import Cast

# name → (method, anonymous, outsider, member, admin). 302 to the sign-in page is "door".
PAGES = {
    "rooms": ("GET", "door", 200, 200, 200),
    "needs you": ("GET", "door", 200, 200, 200),
    "needs you count": ("GET", "door", 204, 200, 204),
    "search": ("GET", "door", 200, 200, 200),
    "account": ("GET", "door", 200, 200, 200),
    "verify again": ("GET", "door", 200, 200, 200),
    "agents": ("GET", "door", 200, 200, 200),
    "agent": ("GET", "door", 404, 404, 200),
    "room": ("GET", "door", 404, 200, 200),
    "ticket": ("GET", "door", 404, 200, 200),
    "lanes": ("GET", "door", 404, 200, 200),
    "talk part": ("GET", "door", 404, 200, 200),
    "part": ("GET", "door", 404, 200, 200),
    "done": ("GET", "door", 404, 200, 200),
    "talk": ("GET", "door", 404, 200, 200),
    "members": ("GET", "door", 404, 200, 200),
    "room settings": ("GET", "door", 404, 200, 200),
    "new task": ("GET", "door", 404, 200, 200),
    "task": ("GET", "door", 404, 200, 200),
    "task menu": ("GET", "door", 404, 200, 200),
    "edit task": ("GET", "door", 404, 200, 200),
    "sign-in link": ("GET", 200, 200, 200, 200),
    "invite": ("GET", 200, 200, 200, 200),
    # Acts. The form is filled in so that only who asks decides; 302 is "done, go back".
    "theme": ("POST", 302, 302, 302, 302),
    "mention read": ("POST", "door", 404, 302, 403),
    "account name": ("POST", "door", 302, 302, 302),
    "end session": ("POST", "door", 404, 404, 404),
    "end other sessions": ("POST", "door", 302, 302, 302),
    "accept invite": ("POST", "door", 404, 404, 404),
    "agent name": ("POST", "door", 404, 404, 302),
    "agent scopes": ("POST", "door", 404, 404, 302),
    "agent trust": ("POST", "door", 404, 404, 302),
    "revoke agent": ("POST", "door", 404, 404, 302),
    "mint credential": ("POST", "door", 404, 404, 200),
    "revoke credential": ("POST", "door", 404, 404, 302),
    "send message": ("POST", "door", 404, 302, 302),
    "retract message": ("POST", "door", 404, 403, 302),
    "trust": ("POST", "door", 404, 302, 302),
    "dismiss trust request": ("POST", "door", 404, 302, 302),
    "leave room": ("POST", "door", 404, 302, 409),
    "member role": ("POST", "door", 404, 403, 302),
    "remove member": ("POST", "door", 404, 403, 302),
    "bring agent": ("POST", "door", 404, 404, 302),
    "take agent out": ("POST", "door", 404, 403, 302),
    "send invite": ("POST", "door", 404, 403, 200),
    "withdraw invite": ("POST", "door", 404, 403, 302),
    "room name": ("POST", "door", 404, 403, 302),
    "room status": ("POST", "door", 404, 403, 302),
    "room focus": ("POST", "door", 404, 403, 302),
    "room document": ("POST", "door", 404, 403, 302),
    "room workspace": ("POST", "door", 404, 403, 302),
    "workspace token": ("POST", "door", 404, 403, 302),
    "forget workspace token": ("POST", "door", 404, 403, 302),
    "assign task": ("POST", "door", 404, 403, 302),
    "place task": ("POST", "door", 404, 403, 302),
    "release task": ("POST", "door", 404, 403, 302),
    "reopen task": ("POST", "door", 404, 403, 403),
    "cancel task": ("POST", "door", 404, 403, 302),
    "archive task": ("POST", "door", 404, 403, 409),
    "unarchive task": ("POST", "door", 404, 403, 302),
}
WHO = ("anonymous", "outsider", "member", "admin")
FORM = {
    "body": "Hello",
    "on": "0",
    "name": "harbour two",
    "scope": "READ",
    "role": "member",
    "kind": "human_link",
    "status": "paused",
    "objective": "Finish the hull",
    "expected_revision": "1",
    "content": "# Harbour",
    "expected_version": "0",
    "path": "/srv/harbour",
    "url": "https://example.org/harbour.git",
    "token": "ghp_0123456789abcdef",
    "fence": "1",
    "theme": "dark",
    "back": "/account",
}


@pytest.fixture
def places(cast: Cast, task: Task, message: Message) -> dict[str, str]:
    """What the addresses name: all of it in Harbour, or ada's."""
    ada = factories.human_of(cast.ada)
    Room.objects.filter(pk=cast.harbour.pk).update(workspace_url="https://example.org/harbour.git")
    with committed():
        made = invite(ada, room=cast.harbour.pk, kind="human_link")
        target = MentionTarget(human=cast.grace.pk)
        send_message(ada, room=cast.harbour.pk, body="grace, look", mention_targets=[target])
    return {
        "room_id": cast.harbour.pk,
        "task_id": task.pk,
        "message_id": message.pk,
        "plate": cast.scout.plate,
        "owner_id": cast.grace.pk,
        "credential_id": factories.make_credential(cast.scout).credential.pk,
        "invite_id": made.invite_id,
        "mention_id": Mention.objects.get(owner=cast.grace).pk,
        "session_id": "0" * 32,
        "token": made.token,
        "name": "head",
    }


def test_every_route_has_its_row():
    assert {pattern.name for pattern in urls.urlpatterns} == PAGES.keys()


@pytest.mark.parametrize("who", WHO)
@pytest.mark.parametrize("name", PAGES)
def test_a_page_is_there_for_whom_it_is(
    name: str, who: str, cast: Cast, outsider: Owner, browse: Browse, places: dict[str, str]
):
    method, *expected = PAGES[name]
    people = {"outsider": outsider, "member": cast.grace, "admin": cast.ada}
    client = browse(people[who]) if who in people else Client()
    pattern = next(pattern for pattern in urls.urlpatterns if pattern.name == name)
    path = reverse(name, kwargs={key: places[key] for key in pattern.pattern.converters})
    with committed():
        form = urlencode({**FORM, "plate": cast.forge.plate, "assignee": cast.scout.plate})
        answer = client.generic(method, path, form, "application/x-www-form-urlencoded")
    wanted = expected[WHO.index(who)]
    if wanted == "door":
        assert answer.status_code == 302
        assert answer["Location"].startswith("/accounts/login/")
    else:
        assert answer.status_code == wanted, answer.content.decode()[-1500:]


@pytest.mark.parametrize("name", [name for name, row in PAGES.items() if row[0] == "POST"])
def test_an_act_is_no_get_and_needs_its_token(name: str, cast: Cast, browse: Browse, places: dict[str, str]):
    pattern = next(pattern for pattern in urls.urlpatterns if pattern.name == name)
    path = reverse(name, kwargs={key: places[key] for key in pattern.pattern.converters})
    assert browse(cast.ada).get(path).status_code == 405
    strict = Client(enforce_csrf_checks=True)
    with committed():
        strict.force_login(cast.ada)
    assert strict.post(path, FORM).status_code == 403


def test_an_absent_room_and_a_foreign_one_look_the_same(cast: Cast, outsider: Owner, browse: Browse):
    client = browse(outsider)
    foreign = client.get(f"/rooms/{cast.harbour.pk}").content.decode()
    absent = client.get(f"/rooms/{ids.ulid()}").content.decode()
    assert _without_ids(foreign) == _without_ids(absent)


def test_a_task_is_not_reached_through_another_room(cast: Cast, browse: Browse, task: Task, alone: Room):
    client = browse(cast.ada)
    for act in ("", "/menu", "/edit"):
        assert client.get(f"/rooms/{alone.pk}/tasks/{task.pk}{act}").status_code == 404
    for act in ("assignment", "place", "release", "cancellation", "archive"):
        assert (
            client.post(f"/rooms/{alone.pk}/tasks/{task.pk}/{act}", {"assignee": cast.scout.plate}).status_code == 404
        )
    task.refresh_from_db()
    assert (task.status, task.assignee) == ("doing", cast.forge)


def _without_ids(page: str) -> str:
    return re.sub(r"(err_)?[0-9A-HJKMNP-TV-Z]{26}|nonce=\"[^\"]*\"|X-CSRFToken\": \"[^\"]*", "", page)
