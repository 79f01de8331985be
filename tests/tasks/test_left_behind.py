"""Work whose agent is gone from the room: nobody will come for it, so every board says that a person has to."""

from __future__ import annotations

import re

import pytest
from django.test import Client

from agentroom.board.words import STALE
from agentroom.core.clock import rfc3339
from agentroom.core.models import AuditRow
from identity.operations.agents import revoke_agent
from rooms.models import AgentMember
from rooms.operations.members import add_agent, leave_room, remove_agent, remove_member
from tasks.jobs import notice_stale_tasks
from tasks.operations.assign import assign_task
from tasks.projection import Reason
from tests import factories
from tests.clients import McpClient, RestClient


def taken_out(ada, grace, quill, room):
    remove_agent(ada, room=room.pk, plate=quill.plate)


def revoked(ada, grace, quill, room):
    revoke_agent(grace, plate=quill.plate)


def owner_left(ada, grace, quill, room):
    leave_room(grace, room=room.pk)


def owner_removed(ada, grace, quill, room):
    remove_member(ada, room=room.pk, owner_id=grace.owner_id)


DEPARTURES = [taken_out, revoked, owner_left, owner_removed]
each_departure = pytest.mark.parametrize("depart", DEPARTURES, ids=lambda depart: depart.__name__)


@pytest.fixture
def people(ada, grace):
    return factories.signed_in(ada), factories.signed_in(grace)


@pytest.fixture
def left(harbour, scout, quill):
    """One task of quill's in every status."""
    statuses = ("todo", "doing", "blocked", "done", "failed", "cancelled")
    return {
        status: factories.make_task(harbour, status, creator=scout, assignee=quill, status=status)
        for status in statuses
    }


@each_departure
@pytest.mark.parametrize("door", [McpClient, RestClient])
def test_the_board_says_so_at_once_and_to_whoever_had_the_version(people, harbour, left, quill, scout, door, depart):
    client = door(factories.token_for(scout))
    version = client.call("read_board", room=harbour.pk)["board_version"]

    depart(*people, quill, harbour)

    since = rfc3339(AgentMember.objects.get(agent=quill, room=harbour).left_at)
    rows = [row for lane in client.call("read_board", room=harbour.pk)["lanes"] for row in lane["tasks"]]
    flagged = {row["title"]: (row["stale_reason"], row["stale_since"]) for row in rows if row.get("stale")}
    assert flagged == dict.fromkeys(["todo", "doing", "blocked"], ("assignee_left", since))
    again = client.call("read_board", room=harbour.pk, since_version=version).data
    assert again["not_modified"] is True
    assert again["time_flags"] == {left[status].pk: ["stale"] for status in ("todo", "doing", "blocked")}
    one = client.call("read_board", room=harbour.pk, task_id=left["blocked"].pk)["task"]
    assert (one["stale"], one["stale_reason"]) == (True, "assignee_left")


@each_departure
def test_it_needs_a_person_and_the_sentence_reads(people, harbour, left, quill, ada, depart):
    depart(*people, quill, harbour)

    for address in ("/needs-you", f"/rooms/{harbour.pk}", f"/rooms/{harbour.pk}/tasks/{left['doing'].pk}"):
        assert "quill left the room, just now" in words(ada, address), address
    waiting = words(ada, f"/rooms/{harbour.pk}/tasks/{left['todo'].pk}")
    assert "Give it to another agent." in waiting, "nobody can start an agent that is gone"


@each_departure
def test_it_is_noted_once_and_over_once_it_is_somebody_elses(people, harbour, left, quill, forge, depart):
    depart(*people, quill, harbour)
    notice_stale_tasks()
    notice_stale_tasks()
    assert noted() == {("task.stale", left[status].pk) for status in ("todo", "doing", "blocked")}

    for status in ("todo", "doing", "blocked"):
        assign_task(people[0], task_id=left[status].pk, assignee=forge.plate)
    before = AuditRow.objects.count()
    notice_stale_tasks()
    assert AuditRow.objects.count() == before


def test_an_agent_that_comes_back_takes_the_flag_away(people, harbour, left, quill, scout):
    client = RestClient(factories.token_for(scout))
    remove_agent(people[0], room=harbour.pk, plate=quill.plate)
    notice_stale_tasks()
    add_agent(people[1], room=harbour.pk, plate=quill.plate)
    notice_stale_tasks()

    rows = [row for lane in client.call("read_board", room=harbour.pk)["lanes"] for row in lane["tasks"]]
    assert not [row for row in rows if row.get("stale")]
    assert {act for act, _ in noted()} == {"task.stale", "task.stale_over"}


def test_an_agent_that_left_another_room_is_not_missed_in_this_one(people, harbour, left, quill, scout, ada, grace):
    shed = factories.make_room("Shed", admin=ada)
    factories.make_member(shed, grace)
    factories.make_member(shed, quill)
    remove_agent(people[0], room=shed.pk, plate=quill.plate)

    board = RestClient(factories.token_for(scout)).call("read_board", room=harbour.pk)
    assert not [row for lane in board["lanes"] for row in lane["tasks"] if row.get("stale")]


@pytest.mark.parametrize("reason", Reason)
def test_every_reason_is_a_clause_that_goes_on_with_since_when(reason):
    """“…, 9 min ago”: something that happened or was due, never a state that lasts."""
    sentence = f"{STALE[reason].format(name='quill')}, 9 min ago"

    assert not re.search(r"\b(has|have|nothing|nobody|no) ", sentence)
    assert re.search(r"\b(let|was|left)\b", sentence)
    assert sentence.startswith("quill ")


def noted():
    rows = AuditRow.objects.filter(act__in=["task.stale", "task.stale_over"])
    return set(rows.values_list("act", "record_id"))


def words(owner, address):
    """The page as a reader sees it."""
    browser = Client()
    browser.force_login(owner)
    page = browser.get(address).content.decode()
    return re.sub(r"\s+", " ", re.sub(r"<[^>]+>", "", page))
