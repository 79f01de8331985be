"""The main job, whole: agents of two owners work one board over MCP while people watch and reassign in the browser."""

from __future__ import annotations

from collections.abc import Iterator
from dataclasses import dataclass
from typing import Any

import pytest

from tests.journeys.agents import Agent, Refused
from tests.journeys.people import Person, people
from tests.services.server import EmbeddedServer, FullServer

# What a summary, a trim or a careless encoder would damage.
LETTER = (
    "Line one\r\nline two\r\n\r\n  indented \u2014 done \U0001f6a2"
    "\u200f \u05e9\u05dc\u05d5\u05dd \u202a(kept)\u202c\ttab  "
)
HARD_LOCKED = "Tasks are hard-locked"


@dataclass
class Harbour:
    """Everybody who takes part."""

    room: str
    ada: Person
    grace: Person
    scout: Agent  # ada's, on the newest protocol revision
    forge: Agent  # ada's, on the handshake of older clients
    quill: Agent  # grace's
    again: Agent  # scout once more: the same credential, another instance
    plates: dict[str, str]


@pytest.fixture
def harbour(any_server: EmbeddedServer | FullServer, browser: Any, request: pytest.FixtureRequest) -> Iterator[Harbour]:
    arguments = ["--force"] if isinstance(any_server, FullServer) else []
    demo = any_server.demo(*arguments)
    ada, grace = people(browser, any_server.url, demo)
    agents = {agent["name"]: agent for agent in demo["agents"]}
    made = {
        "scout": _connect(any_server.url, agents["scout"]),
        "forge": _connect(any_server.url, agents["forge"], mode="legacy"),
        "quill": _connect(any_server.url, agents["quill"]),
        "again": _connect(any_server.url, agents["scout"]),
    }
    room = ada.make_room(f"Journey {request.node.callspec.id}")
    ada.bring(room, "scout")
    ada.bring(room, "forge")
    grace.accept(ada.invite_link(room), agent="quill")
    plates = {name: agent["plate"] for name, agent in agents.items()}
    yield Harbour(room=room, ada=ada, grace=grace, plates=plates, **made)
    for one in (*made.values(), ada, grace):
        one.close()


def test_two_owners_finish_a_chain_and_a_diamond_and_a_person_moves_a_dead_holder_s_task(harbour, any_server):
    refuse_work_across_owners_while_trust_is_off(harbour)
    harbour.grace.turn_trust(harbour.room, on=True)
    hand_a_chain_on_word_for_word(harbour)
    finish_a_diamond_across_both_owners(harbour)
    lose_a_claim_to_the_first_instance(harbour)
    move_the_task_of_a_dead_holder(harbour)
    assert any_server.manage("audit_invariants").strip().endswith("0 findings")


def refuse_work_across_owners_while_trust_is_off(harbour: Harbour) -> None:
    before = harbour.scout.call("read_board", room=harbour.room)
    with pytest.raises(Refused) as refused:
        create(harbour, harbour.scout, "Not without Trust", assignee="quill")
    assert refused.value.code == "NO_GRANT"
    assert refused.value.error["owner"] == "Grace"
    assert harbour.scout.call("read_board", room=harbour.room) == before


def hand_a_chain_on_word_for_word(harbour: Harbour) -> None:
    """Ada's scout → Grace's quill → Ada's forge: each reads the letter of the one before."""
    first = create(harbour, harbour.scout, "Draft the API", assignee="scout")
    second = create(harbour, harbour.scout, "Review the API", assignee="quill", depends_on=[first])
    third = create(harbour, harbour.scout, "Publish the API", assignee="forge", depends_on=[second])
    assert harbour.quill.call("claim_task", task_id=second)["reason"] == "blocked_by_deps"

    done = finish(harbour.scout, first, LETTER)
    assert [freed["task_id"] for freed in done["unblocked"]] == [second]
    assert mentions_of(harbour.quill, harbour.room, second) == 1
    claimed = harbour.quill.call("claim_task", task_id=second)
    assert [note["notes"] for note in claimed["task"]["handoff_notes"]] == [LETTER]

    complete(harbour.quill, second, f"{LETTER}!")
    assert letters_to(harbour.forge, third) == [f"{LETTER}!"]
    complete(harbour.forge, third, "Published.")


def finish_a_diamond_across_both_owners(harbour: Harbour) -> None:
    top = create(harbour, harbour.forge, "Agree on the names", assignee="forge")
    left = create(harbour, harbour.forge, "Rename the tables", assignee="scout", depends_on=[top])
    right = create(harbour, harbour.forge, "Rename the routes", assignee="quill", depends_on=[top])
    bottom = create(harbour, harbour.forge, "Release", assignee="quill", depends_on=[left, right])

    freed = finish(harbour.forge, top, "The names are in the glossary.")["unblocked"]
    assert {one["task_id"] for one in freed} == {left, right}
    assert finish(harbour.scout, left, "Tables: done \u2705")["unblocked"] == []
    assert [one["task_id"] for one in finish(harbour.quill, right, "Routes: done")["unblocked"]] == [bottom]
    assert mentions_of(harbour.quill, harbour.room, bottom) == 1
    assert sorted(letters_to(harbour.quill, bottom)) == ["Routes: done", "Tables: done \u2705"]


def lose_a_claim_to_the_first_instance(harbour: Harbour) -> None:
    task = create(harbour, harbour.scout, "Only one of me", assignee="scout")
    won = harbour.scout.call("claim_task", task_id=task, instance_id="first")
    lost = harbour.again.call("claim_task", task_id=task, instance_id="second")
    assert won["claimed"] is True and lost["claimed"] is False
    assert lost["reason"] == "already_claimed"
    assert lost["holder"]["instance"] == "first" and lost["holder"]["since"].endswith("Z")


def move_the_task_of_a_dead_holder(harbour: Harbour) -> None:
    """Another instance's late word changes nothing once a person has moved the task, seen live by both people."""
    task = create(harbour, harbour.scout, "Left behind", assignee="scout")
    fence = harbour.scout.call("claim_task", task_id=task)["fence"]
    harbour.ada.open_room(harbour.room)
    harbour.grace.open_room(harbour.room)
    harbour.grace.expect_card(task, in_lane=harbour.plates["scout"], saying="Doing")

    harbour.ada.drag(task, to=harbour.plates["quill"])
    harbour.grace.expect_card(task, in_lane=harbour.plates["quill"])
    harbour.ada.expect_card(task, in_lane=harbour.plates["quill"])

    for late in ({}, {"fence": fence}):
        with pytest.raises(Refused) as refused:
            complete(harbour.scout, task, "Too late", **late)
        assert refused.value.code == "STALE_LEASE"
    with pytest.raises(Refused) as retired:
        harbour.scout.call("assign_task", task_id=task, assignee=harbour.plates["scout"])
    assert retired.value.code == "FORBIDDEN" and HARD_LOCKED in retired.value.error["message"]
    assert harbour.quill.call("claim_task", task_id=task)["claimed"] is True


def create(harbour: Harbour, author: Agent, title: str, *, assignee: str, depends_on: list[str] | None = None) -> str:
    arguments = {"depends_on": depends_on} if depends_on else {}
    answer = author.call(
        "create_task",
        room=harbour.room,
        title=title,
        definition_of_done=f"{title}: everybody agrees.",
        assignee=harbour.plates[assignee],
        **arguments,
    )
    return str(answer["task_id"])


def finish(agent: Agent, task: str, notes: str) -> dict[str, Any]:
    assert agent.call("claim_task", task_id=task)["claimed"] is True
    return complete(agent, task, notes)


def complete(agent: Agent, task: str, notes: str, **more: Any) -> dict[str, Any]:
    return agent.call("complete_task", task_id=task, status="done", summary="Did it", handoff_notes=notes, **more)


def letters_to(agent: Agent, task: str) -> list[str]:
    return [note["notes"] for note in agent.call("claim_task", task_id=task)["task"]["handoff_notes"]]


def mentions_of(agent: Agent, room: str, task: str) -> int:
    found = agent.call("check_mentions", room=room)["mentions"]
    return len([mention for mention in found if mention.get("task_id") == task])


def _connect(url: str, agent: dict[str, Any], *, mode: str = "auto") -> Agent:
    path = "/mcp" if agent["host"] == "generic" else f"/mcp/{agent['host']}"
    return Agent(url + path, agent["token"], mode=mode)
