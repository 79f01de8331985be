"""`read_board`: every lane and the done view, in a fixed number of statements and few bytes, page by page."""

from __future__ import annotations

import json
from datetime import timedelta

import pytest

from agentroom.core.clock import db_now, shifted
from agentroom.core.errors import Conflict, NotAMember, NotFound, Validation
from agentroom.core.limits import RESULT_BYTES
from rooms.models import AgentMember, Room
from tasks.models import Task
from tasks.operations.claim import claim_task
from tasks.queries.board import read_board
from tests import factories
from tests.clients import undone


@pytest.fixture
def read(as_agent, harbour, scout):
    actor = as_agent(scout)
    return lambda **arguments: read_board(actor, room=harbour.pk, **arguments)


@pytest.fixture
def make(harbour, scout):
    return lambda title="Paint the hull", **fields: factories.make_task(harbour, title, creator=scout, **fields)


def ids(rows):
    return [row["task_id"] for row in rows]


def size(page):
    return len(json.dumps(page.wire(), ensure_ascii=False, separators=(",", ":")).encode())


def test_the_board_is_every_lane_in_its_order_and_what_is_done(read, make, scout, forge):
    pooled = make()
    late, early = make(assignee=forge, order=2), make(assignee=forge, order=1)
    failed = make(assignee=scout, status="failed")
    done, dropped = make(assignee=forge, status="done"), make(status="cancelled")

    board = read()

    lanes = {lane.agent: ids(lane.tasks) for lane in board.lanes}
    assert lanes == {None: [pooled.pk], "@forge(ada)": [early.pk, late.pk], "@scout(ada)": [failed.pk]}
    assert {lane.assignee for lane in board.lanes} == {None, scout.plate, forge.plate}
    assert set(ids(board.done)) == {dropped.pk, done.pk}


def test_a_row_shows_what_it_waits_for_and_the_state_of_what_will_never_come(read, make, forge):
    doing, dropped = make(assignee=forge, status="doing"), make(status="cancelled")
    done = make(assignee=forge, status="done")
    waiting = make("Launch", depends_on=[done, doing, dropped])

    row = next(row for lane in read().lanes for row in lane.tasks if row["task_id"] == waiting.pk)

    assert row["blocked_by"] == [doing.pk, dropped.pk]
    assert row["states"] == {dropped.pk: "cancelled"}


def test_a_done_row_carries_its_record_and_no_handoff_notes(read, make, forge):
    make(assignee=forge, status="done")

    row = read().wire()["done"][0]

    assert (row["summary"], row["assignee"]) == ("Painted it.", forge.plate)
    assert "notes" not in json.dumps(row)


def test_a_blocked_row_says_why(read, make, forge):
    make(assignee=forge, status="blocked", reason="No paint.")

    assert read().lanes[0].tasks[0]["reason"] == "No paint."


def test_archived_tasks_are_off_the_board_and_readable_by_id(read, make, forge):
    task = make(assignee=forge, status="done", archived_at=db_now())

    board = read()

    assert (board.lanes, board.done) == ([], [])
    assert read(task_id=task.pk).task.archived is True


def test_one_task_is_read_whole_with_its_records(read, make, forge):
    task = make(assignee=forge, status="done", detail="Use the old brush.")

    whole = read(task_id=task.pk).task

    assert (whole.detail, whole.definition_of_done) == ("Use the old brush.", "The hull is blue and dry.")
    assert [(record.plate, record.summary) for record in whole.records] == [(forge.plate, "Painted it.")]


def test_a_task_of_another_room_is_not_found_in_this_one(read, ada, scout):
    attic = factories.make_room("Attic", admin=ada)
    factories.make_member(attic, scout)
    elsewhere = factories.make_task(attic, creator=ada)

    with pytest.raises(NotFound):
        read(task_id=elsewhere.pk)


def test_the_board_narrows_to_one_agent_and_to_one_status(read, make, scout, forge):
    make()
    mine = make(assignee=forge)
    doing = make(assignee=forge, status="doing")
    done = make(assignee=forge, status="done")
    make(assignee=scout, status="done")

    assert [(lane.assignee, ids(lane.tasks)) for lane in read(assignee=forge.plate).lanes] == [
        (forge.plate, sorted([mine.pk, doing.pk]))
    ]
    assert ids(read(assignee=forge.plate).done) == [done.pk]
    assert [ids(lane.tasks) for lane in read(status="doing").lanes] == [[doing.pk]]
    assert read(status="doing").done == []
    assert ids(read(status="done", assignee=forge.plate).done) == [done.pk]


def test_nothing_stored_has_changed_is_one_statement_and_few_bytes(read, make, forge, harbour, counting_queries):
    make(assignee=forge, status="doing")
    Room.objects.filter(pk=harbour.pk).update(board_version=7)

    with counting_queries() as queries:
        page = read(since_version=7)

    assert page.wire() == {"board_version": 7, "not_modified": True}
    assert (len(queries), size(page) <= 200) == (1, True)


def test_of_a_board_of_200_ordinary_tasks_not_modified_says_nothing_more(read, make, forge, scout):
    for number in range(200):
        make(assignee=[forge, scout][number % 2], status=["todo", "blocked", "failed", "done"][number % 4])

    assert size(read(since_version=0)) <= 300


def test_a_row_is_claimable_to_whoever_could_claim_it_now(as_agent, as_person, harbour, make, ada, scout, forge, quill):
    """What is said to be claimable is claimed, and nothing else is: for every caller, in every status."""
    first = make("First", assignee=scout)
    for status in ("todo", "doing", "blocked", "failed"):
        for assignee in (scout, forge, None) if status == "todo" else (scout, forge):
            make(f"{status}", assignee=assignee, status=status)
    make("Waits", depends_on=[first])
    make("Waits too", assignee=scout, depends_on=[first])

    for agent in (scout, forge, quill):
        rows = [row for lane in read_board(as_agent(agent), room=harbour.pk).lanes for row in lane.tasks]
        assert {row["task_id"] for row in rows if row.get("claimable")} == {
            row["task_id"] for row in rows if is_claimed(as_agent(agent), row["task_id"])
        }
    people = read_board(as_person(ada), room=harbour.pk)
    assert not [row for lane in people.lanes for row in lane.tasks if row.get("claimable")]


def is_claimed(actor, task_id):
    """Whether a claim would be granted; it is taken back."""
    with undone():
        try:
            return claim_task(actor, task_id=task_id).claimed
        except Conflict:
            return False


def test_an_open_row_shows_its_fence_once_somebody_has_held_it(read, make, forge):
    make("New", assignee=forge, order=1)
    make("Held", assignee=forge, status="doing", order=2)
    make("Failed", assignee=forge, status="failed", order=3)

    rows = read().wire()["lanes"][0]["tasks"]
    assert [row.get("fence") for row in rows] == [None, 1, 1]


def test_what_time_has_changed_is_told_although_nothing_stored_has(read, make, forge):
    late = make(assignee=forge, status="doing")
    fine = make(assignee=forge, status="doing")
    Task.objects.filter(pk=fine.pk).update(lease_expires_at=db_now() + timedelta(days=1))

    with shifted(timedelta(minutes=11)):
        page = read(since_version=0)

    assert page.not_modified is True
    assert page.time_flags == {late.pk: ["stale"]}


@pytest.mark.parametrize("since", [6, 99])
def test_any_other_version_gets_the_whole_board(read, make, harbour, since):
    make()
    Room.objects.filter(pk=harbour.pk).update(board_version=7)

    page = read(since_version=since)

    assert (page.not_modified, page.board_version, len(page.lanes)) == (None, 7, 1)


def test_an_empty_board_has_its_version_too(read, harbour):
    Room.objects.filter(pk=harbour.pk).update(board_version=7)

    assert read().wire() == {"board_version": 7, "lanes": [], "done": []}


def test_a_change_is_seen_under_the_next_version(read, as_agent, make, forge):
    task = make(assignee=forge)
    before = read().board_version

    claim_task(as_agent(forge), task_id=task.pk)

    after = read(since_version=before)
    assert (after.board_version, after.lanes[0].tasks[0]["status"]) == (before + 1, "doing")


@pytest.mark.parametrize("tasks", [1, 60])
def test_the_number_of_statements_does_not_grow_with_the_board(read, make, forge, counting_queries, tasks):
    for number in range(tasks):
        first = make(f"Task {number}", assignee=forge)
        make(f"Task {number} b", depends_on=[first])
        make(f"Task {number} c", assignee=forge, status="done")

    with counting_queries() as queries:
        read()

    assert len(queries) == 2


@pytest.mark.parametrize(("fence", "most"), [(0, 160), (12, 180)])
def test_an_open_task_costs_few_bytes(read, make, forge, scout, fence, most):
    agents = [forge, scout, None]
    for number in range(200):
        make(f"Task {number} of the hull", assignee=agents[number % 3], fence=fence)

    assert size(read()) <= 200 * most


def test_a_big_board_comes_in_pages_under_the_cap_and_misses_nothing(read, make, forge, scout):
    made = [make("x" * 190, assignee=[forge, scout, None][n % 3]).pk for n in range(240)]
    finished = [make("y" * 190, assignee=forge, status="done") for n in range(50)]

    seen, done, after, pages = [], [], None, 0
    while True:
        page = read(after=after)
        assert size(page) <= RESULT_BYTES
        seen += [row["task_id"] for lane in page.lanes or [] for row in lane.tasks]
        done += ids(page.done)
        pages += 1
        after = page.next or page.done_next
        if after is None:
            break
        assert page.truncated is True or page.done_next is not None

    assert sorted(seen) == sorted(made)
    newest_first = sorted(finished, key=lambda task: (task.finished_at, task.pk), reverse=True)
    assert done == [task.pk for task in newest_first]
    assert pages > 2


@pytest.mark.parametrize("after", ["", "nonsense", "done.yesterday.x", "done.2026-01-01.x", "pool.x.y"])
def test_a_cursor_that_is_not_ours_is_refused(read, after):
    with pytest.raises(Validation) as refused:
        read(after=after)

    assert set(refused.value.fields) == {"after"}


def test_a_foreign_board_is_not_found_and_a_former_one_says_so(read, as_agent, harbour, grace, scout):
    outsider = factories.make_agent(grace, "outsider")
    with pytest.raises(NotFound):
        read_board(as_agent(outsider), room=harbour.pk)

    AgentMember.objects.filter(room=harbour, agent=scout).update(left_at=db_now())
    for since in (None, 0):
        with pytest.raises(NotAMember):
            read(since_version=since)


def test_people_read_the_same_board(as_person, read, make, harbour, grace, forge):
    make(assignee=forge)

    assert read_board(as_person(grace), room=harbour.pk).wire() == read().wire()


def test_of_a_hundred_finished_tasks_the_board_shows_the_newest_and_the_way_to_the_others(read, make, forge):
    start = db_now()
    for number in range(100):
        old = make(f"Old {number}", assignee=forge, status="done")
        Task.objects.filter(pk=old.pk).update(finished_at=start + timedelta(seconds=number))

    page = read()

    assert [row["title"] for row in page.done] == [f"Old {number}" for number in range(99, 79, -1)]
    assert read(after=page.done_next).done[0]["title"] == "Old 79"
