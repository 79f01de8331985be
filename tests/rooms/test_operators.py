"""Operators find rooms and pause them; they edit nothing by hand and read nobody's words."""

from __future__ import annotations

import pytest
from django.contrib import admin
from django.urls import reverse

from identity.models import Owner
from rooms.models import Invite, Mention, Message, Room
from rooms.operations.messages import send_message
from rooms.operations.rooms import set_room_status
from rooms.operations.workspace import set_workspace, set_workspace_token
from tests import factories

MODELS = [model for model in admin.site._registry if model._meta.app_label == "rooms"]


@pytest.fixture
def operator(db, client):
    owner = Owner.objects.create_superuser("op@example.test", "a long sentence for tests", name="op")
    client.force_login(owner)
    return client


@pytest.mark.parametrize("model", MODELS, ids=lambda model: model.__name__)
def test_lists_are_searched_and_read_only(model, operator, harbour):
    listing = reverse(f"admin:rooms_{model._meta.model_name}_changelist")
    assert operator.get(listing, {"q": "Harbour"}).status_code == 200
    assert operator.get(reverse(f"admin:rooms_{model._meta.model_name}_add")).status_code == 403


def test_no_page_shows_what_was_said_or_a_secret(operator, cast):
    ada = factories.human_of(cast.ada)
    send_message(ada, room=cast.harbour.pk, body="A secret plan", mention_targets=["@quill"])
    set_workspace(ada, room=cast.harbour.pk, url="https://git.example/hull")
    set_workspace_token(ada, room=cast.harbour.pk, token="a-very-secret-token")
    for record in (Message.objects.get(), Mention.objects.get(), Room.objects.get()):
        page = operator.get(reverse(f"admin:rooms_{record._meta.model_name}_change", args=[record.pk]))
        assert page.status_code == 200
        assert "secret" not in page.content.decode()
    hidden = admin.site._registry[Invite].exclude
    assert set(hidden) >= {"token_hash", "mail_token_encrypted"}


def test_pausing_goes_through_the_operation(operator, harbour):
    listing = reverse("admin:rooms_room_changelist")
    operator.post(listing, {"action": "pause", "_selected_action": [harbour.pk]})
    room = Room.objects.get(pk=harbour.pk)
    assert (room.status, room.audit_seq, room.revision) == ("paused", 1, 2)


def test_a_paused_room_is_resumed_and_one_that_its_people_closed_is_not(operator, cast, harbour):
    listing = reverse("admin:rooms_room_changelist")
    operator.post(listing, {"action": "pause", "_selected_action": [harbour.pk]})
    operator.post(listing, {"action": "resume", "_selected_action": [harbour.pk]})
    assert Room.objects.get(pk=harbour.pk).status == "active"
    set_room_status(factories.human_of(cast.ada), room=harbour.pk, status="stopped")
    page = operator.post(listing, {"action": "resume", "_selected_action": [harbour.pk]}, follow=True)
    assert "its own admins decide" in page.content.decode()
    assert Room.objects.get(pk=harbour.pk).status == "stopped"


def test_staff_without_the_right_pauses_nothing(client, harbour):
    staff = Owner.objects.create_user("staff@example.test", "a long sentence for tests", name="staff", is_staff=True)
    client.force_login(staff)
    client.post(reverse("admin:rooms_room_changelist"), {"action": "pause", "_selected_action": [harbour.pk]})
    assert Room.objects.get(pk=harbour.pk).status == "active"
