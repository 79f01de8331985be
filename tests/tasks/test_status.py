"""Every status, every target, everybody: exactly the moves of 00-product.md are made, all others refused (I-03)."""

from __future__ import annotations

import itertools

import pytest

from agentroom.core.errors import Conflict, Forbidden, PublicError, Validation
from agentroom.core.models import AuditRow
from tasks.models import Task, TaskRecord
from tasks.operations.status import set_status
from tests import factories

STATUSES = ("todo", "doing", "blocked", "done", "failed", "cancelled")
PAIRS = list(itertools.product(STATUSES, STATUSES))
PEOPLE = ("human", "owner", "member")
EVERYBODY = ("holder", "sister", "creator", "stranger", *PEOPLE)

# Written from the ruling, not from tasks/lifecycle.py. Who may, by (from, to); "holder" is the assignee's instance that
# holds it, "sister" another instance of the same agent, "owner" the assignee's owner who does not administer the room.
ALLOWED = {
    ("doing", "todo"): {"holder"},
    ("doing", "blocked"): {"holder"},
    ("doing", "failed"): {"holder"},
    ("doing", "cancelled"): {"holder", "creator", "human"},
    ("todo", "cancelled"): {"holder", "sister", "creator", "human"},
    ("blocked", "cancelled"): {"holder", "sister", "creator", "human"},
    ("todo", "blocked"): {"holder", "sister"},
    ("blocked", "doing"): {"holder"},
    ("blocked", "failed"): {"holder", "sister"},
    ("blocked", "todo"): {"holder", "sister", "owner", "human"},
    ("failed", "todo"): {"holder", "sister", "owner", "human"},
    ("cancelled", "todo"): {"owner", "human"},
}


@pytest.fixture
def crew(as_agent, as_person, harbour, ada, grace, scout, forge, quill):
    """The task is grace's quill's; ada administers, her scout created it, forge has nothing to do with it."""
    factories.set_trust(harbour, grace)
    bystander = factories.make_owner("linus")
    factories.make_member(harbour, bystander)
    return {
        "holder": as_agent(quill),
        "sister": as_agent(quill, "second"),
        "creator": as_agent(scout),
        "stranger": as_agent(forge),
        "human": as_person(ada),
        "owner": as_person(grace),
        "member": as_person(bystander),
    }


@pytest.mark.parametrize(("source", "target"), PAIRS)
def test_everybody_may_exactly_what_the_ruling_says(crew, harbour, scout, quill, source, target):
    for who in EVERYBODY:
        task = factories.make_task(harbour, creator=scout, assignee=quill, status=source)
        try:
            moved = set_status(crew[who], task_id=task.pk, status=target, reason="Because.").status == target
        except PublicError:
            moved = False
        task.refresh_from_db()
        assert moved == (who in ALLOWED.get((source, target), set())), who
        assert task.status == (target if moved else source), who


@pytest.mark.parametrize(("source", "target"), PAIRS)
def test_every_refusal_has_the_right_code(crew, harbour, scout, quill, source, target):
    allowed = ALLOWED.get((source, target), set())
    for who in set(EVERYBODY) - allowed:
        task = factories.make_task(harbour, creator=scout, assignee=quill, status=source)
        with pytest.raises((Conflict, Forbidden)) as refused:
            set_status(crew[who], task_id=task.pk, status=target, reason="Because.")
        assert type(refused.value) is _expected(who, source, target, allowed), who


def _expected(who, source, target, allowed):
    if target == "done":
        return Conflict
    if target == "doing":
        return Conflict
    if who in {"stranger", "member"}:
        return Forbidden
    if not allowed:
        return Conflict
    # A sister of the holder clashes with it; nobody else may make this move at all.
    return Conflict if who == "sister" and "holder" in allowed else Forbidden


def test_done_is_refused_with_the_way_to_it(as_agent, held, forge):
    with pytest.raises(Conflict, match="complete_task"):
        set_status(as_agent(forge), task_id=held.pk, status="done")


def test_doing_is_refused_with_the_way_to_it(as_agent, task, forge):
    with pytest.raises(Conflict, match="claim_task"):
        set_status(as_agent(forge), task_id=task.pk, status="doing")


@pytest.mark.parametrize("status", ["blocked", "failed"])
def test_blocked_and_failed_need_a_reason(as_agent, held, forge, status):
    with pytest.raises(Validation) as refused:
        set_status(as_agent(forge), task_id=held.pk, status=status)

    held.refresh_from_db()
    assert set(refused.value.fields) == {"reason"}
    assert (held.status, TaskRecord.objects.count()) == ("doing", 0)


def test_a_blocked_task_keeps_its_holder_and_its_fence(as_agent, held, forge):
    set_status(as_agent(forge), task_id=held.pk, status="blocked", reason="No paint.")

    held.refresh_from_db()
    assert (held.holder_instance, held.fence, held.reason) == ("main", 1, "No paint.")


def test_resuming_starts_the_lease_anew_and_clears_the_reason(as_agent, held, forge):
    actor = as_agent(forge)
    set_status(actor, task_id=held.pk, status="blocked", reason="No paint.")
    held.refresh_from_db()

    resumed = set_status(actor, task_id=held.pk, status="doing")

    assert resumed.lease_expires_at > held.lease_expires_at
    assert (resumed.reason, resumed.fence) == (None, 1)


def test_back_to_todo_gives_up_the_lock_and_moves_the_fence_on(as_agent, held, forge):
    released = set_status(as_agent(forge), task_id=held.pk, status="todo")

    assert (released.status, released.fence, released.assignee, released.holder) == ("todo", 2, forge.plate, None)


def test_reopening_a_failed_task_moves_no_fence_since_no_lock_is_given_up(as_agent, harbour, scout, forge):
    failed = factories.make_task(harbour, creator=scout, assignee=forge, status="failed")

    assert set_status(as_agent(forge), task_id=failed.pk, status="todo").fence == 1


def test_a_step_that_matters_leaves_a_record(as_agent, held, forge, library):
    library["log.txt"] = "file:log.txt@1"

    set_status(
        as_agent(forge),
        task_id=held.pk,
        status="blocked",
        reason="No paint.",
        summary="Sanded; paint is missing.",
        artifacts=["file:log.txt"],
        next="Buy paint.",
    )

    record = TaskRecord.objects.get()
    assert (record.status, record.summary, record.next) == ("blocked", "Sanded; paint is missing.", "Buy paint.")
    assert record.artifacts == ["file:log.txt@1"]


def test_without_a_summary_the_reason_is_the_record(as_agent, held, forge):
    set_status(as_agent(forge), task_id=held.pk, status="failed", reason="It sank.")

    assert TaskRecord.objects.get().summary == "It sank."


def test_artifacts_without_a_summary_are_refused(as_agent, task, forge, library):
    library["log.txt"] = "file:log.txt@1"

    with pytest.raises(Validation):
        set_status(as_agent(forge), task_id=task.pk, status="cancelled", artifacts=["file:log.txt"])
    task.refresh_from_db()
    assert task.status == "todo"


def test_reopened_by_a_person_a_ready_task_rings_again(as_person, harbour, scout, forge, ada, rings):
    task = factories.make_task(harbour, creator=scout, assignee=forge, status="cancelled")

    set_status(as_person(ada), task_id=task.pk, status="todo")

    assert rings(forge) == [("assigned", task.pk)]
    task.refresh_from_db()
    assert task.ready_generation == 1


def test_reopened_by_its_assignee_it_rings_nobody(as_agent, harbour, scout, forge, rings):
    task = factories.make_task(harbour, creator=scout, assignee=forge, status="failed")

    set_status(as_agent(forge), task_id=task.pk, status="todo")

    assert rings(forge) == []


def test_a_move_is_one_revision_and_one_audit_row(as_agent, harbour, held, forge):
    set_status(as_agent(forge), task_id=held.pk, status="failed", reason="It sank.")

    harbour.refresh_from_db()
    row = AuditRow.objects.get()
    assert (row.act, row.before["status"], row.after["status"]) == ("task.set_status", "doing", "failed")
    assert (harbour.board_version, Task.objects.get(pk=held.pk).revision) == (1, 2)
