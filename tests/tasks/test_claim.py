"""Claiming: one winner with the lock and the letters, and every loser told why."""

from __future__ import annotations

from datetime import timedelta

import pytest
from django.db import connection

from agentroom.core.clock import db_now, shifted
from agentroom.core.errors import Conflict, NotFound, ThreadNotActive
from agentroom.core.limits import LEASE
from agentroom.core.models import AuditRow, ChangeFeed, Revision
from rooms.models import AgentMember, RoomStatus
from tasks.models import Consent, TaskHold
from tasks.operations.claim import claim_task
from tests import factories


def test_claim_gives_the_lock_a_fence_and_a_lease(as_agent, task, forge):
    claim = claim_task(as_agent(forge), task_id=task.pk)

    task.refresh_from_db()
    assert (claim.claimed, claim.fence, claim.lease_expires_at) == (True, 1, task.lease_expires_at)
    assert (task.status, task.holder_instance, task.fence, task.attempt) == ("doing", "main", 1, 1)
    assert task.lease_expires_at - task.locked_at == LEASE == timedelta(seconds=600)


def test_claim_answers_the_whole_task_and_nothing_that_is_empty(as_agent, task, forge):
    wire = claim_task(as_agent(forge), task_id=task.pk).wire()

    assert wire["task"] == {
        "task_id": task.pk,
        "title": "Paint the hull",
        "definition_of_done": "The hull is blue and dry.",
        "depends_on": [],
        "handoff_notes": [],
    }
    assert set(wire) == {"claimed", "task", "lease_expires_at", "fence"}


def test_claiming_a_pool_task_makes_the_claimer_its_assignee(as_agent, pool_task, quill):
    claim_task(as_agent(quill), task_id=pool_task.pk)

    pool_task.refresh_from_db()
    assert pool_task.assignee == quill
    assert pool_task.consent == Consent.ACCEPTED


def test_claim_remembers_who_held_the_task_at_which_fence(as_agent, task, forge):
    claim_task(as_agent(forge), task_id=task.pk, instance_id="second")

    hold = TaskHold.objects.get(task=task)
    assert (hold.fence, hold.agent, hold.instance) == (1, forge, "second")


def test_a_second_instance_is_told_who_holds_it_and_since_when(as_agent, task, forge):
    claim_task(as_agent(forge), task_id=task.pk)

    lost = claim_task(as_agent(forge, "second"), task_id=task.pk)

    task.refresh_from_db()
    assert (lost.claimed, lost.reason) == (False, "already_claimed")
    assert (lost.holder.instance, lost.holder.since, lost.holder.same_instance) == ("main", task.locked_at, False)


def test_a_repeat_without_a_key_loses_even_for_the_holder_itself(as_agent, task, forge):
    claim_task(as_agent(forge), task_id=task.pk)

    assert claim_task(as_agent(forge), task_id=task.pk).holder.same_instance is True


def test_a_repeat_with_the_same_key_gets_the_first_answer_with_its_fence(as_agent, task, forge):
    first = claim_task(as_agent(forge), task_id=task.pk, idempotency_key="k-1")
    again = claim_task(as_agent(forge), task_id=task.pk, idempotency_key="k-1")

    assert again.wire() == first.wire()
    assert TaskHold.objects.filter(task=task).count() == 1


def test_a_key_used_for_another_task_is_refused(as_agent, task, pool_task, forge):
    claim_task(as_agent(forge), task_id=task.pk, idempotency_key="k-1")

    with pytest.raises(Conflict):
        claim_task(as_agent(forge), task_id=pool_task.pk, idempotency_key="k-1")


def test_another_plate_is_told_whose_task_it_is(as_agent, task, scout, forge):
    lost = claim_task(as_agent(scout), task_id=task.pk)

    assert (lost.claimed, lost.reason, lost.assignee) == (False, "not_assigned", forge.plate)


def test_an_open_prerequisite_is_named_with_its_state(as_agent, harbour, scout, forge):
    done = factories.make_task(harbour, creator=scout, assignee=forge, status="done")
    dropped = factories.make_task(harbour, creator=scout, assignee=forge, status="cancelled")
    waiting = factories.make_task(harbour, creator=scout, assignee=forge, depends_on=[done, dropped])

    lost = claim_task(as_agent(forge), task_id=waiting.pk)

    assert (lost.claimed, lost.reason) == (False, "blocked_by_deps")
    assert lost.blocked_by == [dropped.pk]
    assert lost.states == {dropped.pk: "cancelled"}


@pytest.mark.parametrize("status", ["blocked", "done", "failed", "cancelled"])
def test_a_task_that_is_not_open_cannot_be_claimed(as_agent, harbour, scout, forge, status):
    task = factories.make_task(harbour, creator=scout, assignee=forge, status=status)

    with pytest.raises(Conflict, match=status):
        claim_task(as_agent(forge), task_id=task.pk)


def test_absent_and_foreign_tasks_are_the_same_not_found(as_agent, ada, forge):
    elsewhere = factories.make_room("Attic", admin=ada)
    foreign = factories.make_task(elsewhere, creator=ada)

    refusals = []
    for task_id in (foreign.pk, "01J0000000000000000000000X"):
        with pytest.raises(NotFound) as refused:
            claim_task(as_agent(forge), task_id=task_id)
        refusals.append(refused.value.message)

    assert refusals[0] == refusals[1]


def test_a_former_member_finds_no_task(as_agent, harbour, task, forge):
    AgentMember.objects.filter(room=harbour, agent=forge).update(left_at=db_now())

    with pytest.raises(NotFound):
        claim_task(as_agent(forge), task_id=task.pk)


def test_a_room_that_is_not_active_gives_no_locks(as_agent, harbour, task, forge):
    harbour.status = RoomStatus.PAUSED
    harbour.save(update_fields=["status"])

    with pytest.raises(ThreadNotActive):
        claim_task(as_agent(forge), task_id=task.pk)


def test_the_notes_of_every_completed_prerequisite_come_byte_for_byte(as_agent, harbour, scout, forge):
    letters = ["one\r\ntwo\r\n  ", "\u202bשלום\u202c 👩‍👩‍👧 done\t"]
    before = [factories.make_task(harbour, creator=scout, assignee=scout, status="done") for _ in letters]
    for done, letter in zip(before, letters, strict=True):
        done.records.update(handoff_notes=letter)
    task = factories.make_task(harbour, creator=scout, assignee=forge, depends_on=before)

    notes = claim_task(as_agent(forge), task_id=task.pk).wire()["task"]["handoff_notes"]

    assert [note["notes"] for note in notes] == letters
    assert [(note["task_id"], note["from"]) for note in notes] == [(done.pk, "@scout(ada)") for done in before]


def test_a_claim_is_one_revision_one_feed_row_one_audit_row_and_one_board_change(
    as_agent, harbour, task, forge, django_capture_on_commit_callbacks
):
    with django_capture_on_commit_callbacks() as news:
        claim_task(as_agent(forge), task_id=task.pk)

    harbour.refresh_from_db()
    act = AuditRow.objects.get(chain=harbour.pk)
    assert (act.act, act.actor_key, act.record_id) == ("task.claim", f"agent:{forge.plate}", task.pk)
    assert act.before == {"status": "todo", "fence": 0, "holder": ""}
    assert act.after == {"status": "doing", "fence": 1, "holder": "main"}
    assert Revision.objects.get(record_id=task.pk).data["status"] == "doing"
    assert ChangeFeed.objects.get(room_id=harbour.pk).seq == 1
    assert (harbour.board_version, harbour.context_version) == (1, 1)
    assert harbour.context_classes == {"tasks": 1}
    assert len(news) == 1


def test_a_lost_claim_writes_nothing(as_agent, harbour, task, scout):
    claim_task(as_agent(scout), task_id=task.pk)

    harbour.refresh_from_db()
    assert (harbour.board_version, AuditRow.objects.count(), TaskHold.objects.count()) == (0, 0, 0)


def test_a_certain_loss_costs_one_statement_and_takes_no_lock(as_agent, task, scout, counting_queries):
    actor = as_agent(scout)
    with counting_queries() as queries:
        claim_task(actor, task_id=task.pk)

    assert len(queries) == 1
    assert "FOR " not in queries[0]["sql"]


def test_a_win_costs_a_fixed_number_of_statements(as_agent, task, forge, counting_queries):
    actor = as_agent(forge)
    with counting_queries() as queries:
        claim_task(actor, task_id=task.pk)

    statements = [query for query in queries if "SAVEPOINT" not in query["sql"]]
    assert len(statements) == {"postgresql": 8, "sqlite": 12}[connection.vendor]


def test_the_lease_starts_at_the_database_s_clock(as_agent, task, forge):
    with shifted(timedelta(hours=2)):
        claim = claim_task(as_agent(forge), task_id=task.pk)

    assert claim.lease_expires_at > db_now() + timedelta(hours=2)
