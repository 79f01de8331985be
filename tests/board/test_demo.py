"""`manage.py demo`: a room at work, again and again, and never where it does not belong."""

from __future__ import annotations

import io
import json

import pytest
from django.core.management import CommandError, call_command
from django.test import Client, override_settings

from agentroom.core import invariants
from identity.models import Agent, Owner
from rooms.models import Room
from tasks.models import Task
from tests import factories
from tests.clients import McpClient

pytestmark = pytest.mark.django_db(transaction=True)


def demo(*options: str) -> dict:
    printed = io.StringIO()
    with override_settings(EMBEDDED=True):
        call_command("demo", "--json", *options, stdout=printed)
    return json.loads(printed.getvalue())


def test_the_demo_is_a_room_of_two_owners_with_work_in_every_state():
    made = demo()
    assert made.keys() == {"base_url", "rooms", "owners", "agents"}
    assert [room["name"] for room in made["rooms"]] == ["Harbour"]
    assert [owner["name"] for owner in made["owners"]] == ["Ada", "Grace"]
    assert {(agent["name"], agent["owner"]) for agent in made["agents"]} == {
        ("scout", "Ada"),
        ("forge", "Ada"),
        ("quill", "Grace"),
    }
    assert {"todo", "doing", "blocked", "done"} <= set(Task.objects.values_list("status", flat=True))
    assert list(invariants.findings()) == []


def test_every_key_of_the_demo_opens(client: Client):
    made = demo()
    for agent in made["agents"]:
        assert McpClient(agent["token"], agent["host"]).call("whoami")["plate"] == agent["plate"]
    path = made["owners"][0]["sign_in_url"].removeprefix(made["base_url"])
    assert client.get(path).status_code == 200
    assert client.get(path).status_code == 200  # looking does not use it up
    assert client.post(path)["Location"] == "/"
    assert client.get(f"/rooms/{made['rooms'][0]['id']}").status_code == 200


def test_a_second_call_uses_what_is_there_and_leaves_earlier_keys_good():
    first, second = demo(), demo()
    assert first["rooms"] == second["rooms"]
    assert [agent["plate"] for agent in first["agents"]] == [agent["plate"] for agent in second["agents"]]
    assert (Room.objects.count(), Owner.objects.count(), Agent.objects.count()) == (1, 2, 3)
    for made in (first, second):
        agent = made["agents"][0]
        assert McpClient(agent["token"], agent["host"]).call("whoami").ok


def test_fresh_starts_over():
    first = demo()
    second = demo("--fresh")
    assert first["rooms"] != second["rooms"]
    assert Room.objects.count() == 1
    agent = first["agents"][0]
    assert McpClient(agent["token"], agent["host"]).call("whoami").status == 401


def test_fresh_deletes_nothing_beside_other_accounts_unless_forced():
    factories.make_owner("mallory")
    with pytest.raises(CommandError, match="accounts beside"):
        demo("--fresh")
    assert Owner.objects.count() == 1
    demo("--fresh", "--force")
    assert not Owner.objects.filter(name="mallory").exists()


def test_the_full_profile_has_no_demo_unless_forced():
    with override_settings(EMBEDDED=False):
        with pytest.raises(CommandError, match="full profile"):
            call_command("demo")
        call_command("demo", "--force", stdout=io.StringIO())
    assert Room.objects.count() == 1


def test_for_people_it_prints_a_link_and_a_line_for_each_agent():
    printed = io.StringIO()
    with override_settings(EMBEDDED=True):
        call_command("demo", stdout=printed)
    text = printed.getvalue()
    assert "/sign-in/" in text
    for part in ("scout", "forge", "quill", "claude mcp add", "codex mcp add"):
        assert part in text
