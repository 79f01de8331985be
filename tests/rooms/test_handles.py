"""Handles: the grammar, whom they mean, and the members they are taken from."""

from __future__ import annotations

from datetime import timedelta

import pytest

from agentroom.core.clock import db_now
from agentroom.core.errors import Validation
from agentroom.core.limits import INSTANCE_LIVE
from agentroom.core.scopes import ALL
from identity.models import Instance
from rooms.handles import parse
from tests import factories


@pytest.mark.parametrize(
    ("text", "parts"),
    [
        ("@scout", ("scout", "", "")),
        ("scout", ("scout", "", "")),
        ("@Scout(Ada)", ("scout", "ada", "")),
        ("@scout(ada)#main", ("scout", "ada", "main")),
        ("@scout#9:a.b_c-d", ("scout", "", "9:a.b_c-d")),
        ("@Deep Blue(Ada Lovelace)", ("deep-blue", "ada-lovelace", "")),
        ("@Stra\u00dfe", ("strasse", "", "")),
    ],
)
def test_a_handle_is_name_owner_and_session(text, parts):
    handle = parse(text)
    assert (handle.name, handle.owner, handle.session) == parts


@pytest.mark.parametrize(
    "text", ["", "@", "@@scout", "@scout()", "@scout(ada", "@scout)", "@a/b", "@scout#", "@" + "x" * 300]
)
def test_text_of_another_form_is_no_handle(text):
    with pytest.raises(Validation):
        parse(text)


def test_a_handle_gives_every_candidate_with_its_live_instances(connect, cast):
    twin = factories.make_agent(cast.grace, "scout")
    factories.make_member(cast.harbour, twin)
    client = connect(cast.forge)
    both = client.call("resolve_handle", room=cast.harbour.pk, handle="@SCOUT")["candidates"]
    assert {candidate["alias"] for candidate in both} == {"@scout(ada)", "@scout(grace)"}
    [one] = client.call("resolve_handle", room=cast.harbour.pk, handle="@scout(grace)")["candidates"]
    assert one["plate"] == twin.plate


def test_people_are_candidates_too_and_nobody_is_an_empty_list(call, forge, harbour, grace):
    [person] = call(forge, "resolve_handle", room=harbour.pk, handle="@Grace")["candidates"]
    assert person == {"alias": "@grace", "human": grace.pk}
    assert call(forge, "resolve_handle", room=harbour.pk, handle="@nobody")["candidates"] == []


def test_a_space_in_a_name_is_written_as_a_hyphen(call, forge, harbour, ada):
    agent = factories.make_agent(ada, "Deep Blue")
    factories.make_member(harbour, agent)
    [one] = call(forge, "resolve_handle", room=harbour.pk, handle="@deep-blue")["candidates"]
    assert (one["plate"], one["alias"]) == (agent.plate, "@Deep-Blue(ada)")


def test_a_session_that_is_not_live_is_a_candidate_that_says_so(call, forge, harbour, scout):
    Instance.objects.create(agent=scout, name="old", last_seen_at=db_now() - INSTANCE_LIVE)
    Instance.objects.create(agent=scout, name="new", last_seen_at=db_now())
    [asleep] = call(forge, "resolve_handle", room=harbour.pk, handle="@scout#old")["candidates"]
    assert [(one["instance_id"], one["live"]) for one in asleep["instances"]] == [("old", False)]
    [awake] = call(forge, "resolve_handle", room=harbour.pk, handle="@scout")["candidates"]
    assert [(one["instance_id"], one["live"]) for one in awake["instances"]] == [("new", True)]


def test_live_instances_and_the_task_each_works_on(call, forge, quill, harbour, scout):
    task = factories.make_task(harbour, creator=scout, assignee=scout, status="doing", instance_id="one")
    now = db_now()
    for name, seen in (("one", now), ("two", now - timedelta(minutes=1)), ("gone", now - INSTANCE_LIVE)):
        Instance.objects.create(agent=scout, name=name, last_seen_at=seen, workspace="/home/ada/hull")
    [found] = call(forge, "list_instances", room=harbour.pk, plate=scout.plate)["agents"]
    assert [one["instance_id"] for one in found["instances"]] == ["one", "two"]
    assert [one.get("task_id") for one in found["instances"]] == [task.pk, None]
    assert found["instances"][0]["workspace"] == "/home/ada/hull"

    [foreign] = call(quill, "list_instances", room=harbour.pk, plate=scout.plate)["agents"]
    assert "workspace" not in foreign["instances"][0]


def test_members_are_people_with_roles_and_agents_with_what_they_may(connect, cast):
    factories.set_trust(cast.harbour, cast.grace)
    found = connect(cast.scout).call("list_members", room=cast.harbour.pk)

    assert [(one["name"], one["role"], one["id"]) for one in found["humans"]] == [
        ("ada", "admin", cast.ada.pk),
        ("grace", "member", cast.grace.pk),
    ]
    quill = next(agent for agent in found["agents"] if agent["plate"] == cast.quill.plate)
    assert quill == {
        "plate": cast.quill.plate,
        "name": "quill",
        "owner": "grace",
        "alias": "@quill(grace)",
        "verified": True,
        "scopes": ["READ", "WRITE", "UPLOAD", "DOWNLOAD"],
        "host": "generic",
        "live": False,
        "wakeable": False,
        "trust": True,
    }
    assert all("trust" not in agent for agent in found["agents"] if agent["owner"] == "ada")


def test_a_crowd_comes_in_pages_of_bounded_size(call, scout, ada, harbour):
    for number in range(230):
        factories.make_member(harbour, factories.make_agent(ada, f"rower {number}", scopes=ALL))
    plates, after = set(), None
    for _ in range(9):
        page = call(scout, "list_members", room=harbour.pk, **({"after": after} if after else {}))
        assert len(page.raw) <= 40 * 1024
        plates |= {agent["plate"] for agent in page["agents"]}
        after = page.data.get("next")
        if after is None:
            break
    assert len(plates) == 233
