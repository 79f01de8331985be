"""A write that asks for what is so already is no write: no history, no new version, nobody nudged."""

from __future__ import annotations

from collections.abc import Iterator
from typing import Any

import pytest
from django.apps import apps

from rooms.models import InviteKind, Notebook, Room
from rooms.operations.invites import invite, revoke_invite
from rooms.operations.members import add_agent, set_role
from rooms.operations.mentions import ack_mentions
from rooms.operations.messages import retract_message, send_message
from rooms.operations.rooms import edit_focus, edit_room_document, rename_room, set_room_status
from rooms.operations.trust import dismiss_trust_request, relay_consent, set_trust
from rooms.operations.workspace import remove_workspace_token, set_workspace, set_workspace_token
from tasks.operations.archive import archive_task, unarchive_task
from tasks.operations.assign import assign_task
from tasks.operations.edit import update_task
from tasks.operations.reorder import reorder_task
from tests import factories
from tests.conftest import Cast

REPOSITORY = "https://git.example.test/harbour.git"


def writes(cast: Cast) -> dict[str, Any]:
    """Everything that sets something to a value, as often as one likes."""
    ada, scout, room = factories.signed_in(cast.ada), factories.actor_of(cast.scout), cast.harbour.pk
    task = factories.make_task(cast.harbour, creator=cast.scout, assignee=cast.forge)
    other = factories.make_task(cast.harbour, creator=cast.scout, assignee=cast.forge, order=9)
    ended = factories.make_task(cast.harbour, creator=cast.scout, assignee=cast.forge, status="done")
    put_away = factories.make_task(cast.harbour, creator=cast.scout, assignee=cast.forge, status="done")
    message = send_message(scout, room=room, body="Hello", mention_targets=["@quill"])
    invited = invite(ada, room=room, kind=InviteKind.LINK)
    set_workspace(ada, room=room, path="/srv/harbour", url=REPOSITORY)
    text = {"title": "T", "definition_of_done": "D", "detail": "E", "order": 5, "depends_on": [other.pk]}
    return {
        "rename": lambda: rename_room(ada, room=room, name="Quay"),
        "status": lambda: set_room_status(ada, room=room, status="paused"),
        "focus": lambda: edit_focus(ada, room=room, objective="Paint", expected_revision=revision(cast)),
        "document": lambda: edit_room_document(ada, room=room, content="# Rules", expected_version=version(cast)),
        "workspace": lambda: set_workspace(ada, room=room, path="/srv/quay", url=REPOSITORY, branch="main"),
        "token": lambda: set_workspace_token(ada, room=room, token="a-token-of-some-length"),
        "no token": lambda: remove_workspace_token(ada, room=room),
        "trust on": lambda: set_trust(ada, room=room, on=True),
        "trust off": lambda: set_trust(ada, room=room, on=False),
        "relayed": lambda: relay_consent(scout, room=room, mode="blocked"),
        "dismissed": lambda: dismiss_trust_request(ada, room=room),
        "role": lambda: set_role(ada, room=room, owner_id=cast.grace.pk, role="admin"),
        "agent": lambda: add_agent(ada, room=room, plate=cast.scout.plate),
        "revoked": lambda: revoke_invite(ada, room=room, invite_id=invited.invite_id),
        "retracted": lambda: retract_message(scout, room=room, message_id=message.message_id),
        "acked": lambda: ack_mentions(factories.actor_of(cast.quill), mention_ids=[message.deliveries[0].mention_id]),
        "edited": lambda: update_task(scout, task_id=task.pk, **text),
        "assigned": lambda: assign_task(ada, task_id=other.pk, assignee=cast.scout.plate),
        "placed": lambda: reorder_task(ada, task_id=task.pk, before=None),
        "archived": lambda: archive_task(scout, task_id=ended.pk),
        "unarchived": lambda: unarchive_task(ada, task_id=put_away.pk),
    }


NAMES = (
    *("rename", "status", "focus", "document", "workspace", "token", "no token", "trust on", "trust off", "relayed"),
    *("dismissed", "role", "agent", "revoked", "retracted", "acked"),
    *("edited", "assigned", "placed", "archived", "unarchived"),
)


@pytest.mark.parametrize("name", NAMES)
def test_the_second_time_leaves_nothing(cast, name, django_capture_on_commit_callbacks):
    every_write = writes(cast)
    assert set(every_write) == set(NAMES)
    every_write[name]()
    before = dict(stored())

    with django_capture_on_commit_callbacks() as waiting:
        every_write[name]()

    assert dict(stored()) == before
    assert waiting == []


def test_trust_that_is_on_is_not_asked_for_again(cast):
    """An agent that relays what is so already bothers nobody, whether or not it could have turned it on."""
    scout = factories.actor_of(cast.scout)
    factories.set_trust(cast.harbour, cast.ada)
    before = dict(stored())

    answer = relay_consent(scout, room=cast.harbour.pk, mode="trust_room")

    assert (answer.mode, answer.refused) == ("trust_room", None)
    assert dict(stored()) == before


def stored() -> Iterator[tuple[str, Any]]:
    """Every row that a write may leave or move."""
    for model in apps.get_models():
        if model.__module__.startswith(("agentroom", "identity", "rooms", "tasks")):
            yield model.__name__, list(model.objects.order_by("pk").values())


def revision(cast: Cast) -> int:
    return Notebook.objects.values_list("revision", flat=True).get(room=cast.harbour)


def version(cast: Cast) -> int:
    return Room.objects.values_list("document_version", flat=True).get(pk=cast.harbour.pk)
