"""Closing out: all of it or nothing, with the letter kept byte for byte (I-06)."""

from __future__ import annotations

import pytest
from django.db import connection

from agentroom.core.errors import Conflict, Forbidden, NotFound, StaleLease, Validation
from agentroom.core.models import AuditRow, Revision
from rooms.inputs import MentionTarget
from rooms.models import Mention
from rooms.operations.messages import send_message
from tasks.advice import next_step
from tasks.models import Task, TaskHold, TaskRecord
from tasks.operations.claim import claim_task
from tasks.operations.complete import complete_task
from tasks.operations.create import create_task
from tasks.operations.release import release_task
from tasks.operations.renew import renew_lease
from tasks.operations.status import set_status
from tests import factories

NOTES = "one\r\ntwo\r\n  indented \u202bשלום\u202c 👩‍👩‍👧\u200b\t"
DONE = {"status": "done", "summary": "Painted it.", "handoff_notes": NOTES}


@pytest.fixture
def complete(as_agent, held, forge):
    return lambda actor=None, **fields: complete_task(actor or as_agent(forge), task_id=held.pk, **{**DONE, **fields})


def test_done_ends_the_task_for_good_and_frees_the_lock(complete, held):
    done = complete()

    held.refresh_from_db()
    assert (done.task.status, held.status, held.holder_instance) == ("done", "done", "")
    assert held.finished_at is not None
    assert held.fence == 1


def test_the_answer_carries_task_record_unblocked_and_pending_and_no_text_twice(complete, held, forge):
    wire = complete(next="Antifouling.").wire()

    assert set(wire) == {"task", "record", "unblocked", "pending"}
    assert wire["record"]["plate"] == forge.plate
    assert (wire["record"]["summary"], wire["record"]["next"]) == ("Painted it.", "Antifouling.")
    assert NOTES not in str(wire)
    assert wire["pending"] == {"mentions": 0}


def test_notes_reach_the_successor_byte_for_byte(complete, as_agent, harbour, held, scout):
    after = factories.make_task(harbour, creator=scout, assignee=scout, depends_on=[held])

    complete()

    (note,) = claim_task(as_agent(scout), task_id=after.pk).wire()["task"]["handoff_notes"]
    assert note == {"task_id": held.pk, "title": held.title, "from": "@forge(ada)", "notes": NOTES}


@pytest.mark.parametrize("notes", [None, "", " \t\n", "\u200b\u2060\ufeff", "\u2800\u3164"])
def test_done_without_visible_notes_is_refused_and_nothing_changes(complete, held, notes):
    with pytest.raises(Validation) as refused:
        complete(handoff_notes=notes)

    held.refresh_from_db()
    assert set(refused.value.fields) == {"handoff_notes"}
    assert (held.status, TaskRecord.objects.count()) == ("doing", 0)


@pytest.mark.parametrize("status", ["failed", "blocked"])
def test_failed_and_blocked_need_no_notes_and_take_the_summary_as_reason(complete, held, status):
    complete(status=status, handoff_notes=None, summary="The paint is gone.")

    held.refresh_from_db()
    assert (held.status, held.reason) == (status, "The paint is gone.")
    assert held.holder_instance == ("main" if status == "blocked" else "")


def test_artifacts_are_stored_as_they_resolve(complete, held, library):
    library["hull.png"] = "file:hull.png@2"

    done = complete(artifacts=["file:hull.png"])

    assert done.record.artifacts == ["file:hull.png@2"]
    assert TaskRecord.objects.get().artifacts == ["file:hull.png@2"]


@pytest.mark.parametrize("artifact", ["file:missing.md", "msg:01J0000000000000000000000X#1", "task:1", "hull.png", ""])
def test_an_artifact_that_is_not_there_is_refused_and_nothing_changes(complete, held, library, artifact):
    with pytest.raises(Validation) as refused:
        complete(artifacts=[artifact])

    held.refresh_from_db()
    assert set(refused.value.fields) == {"artifacts.0"}
    assert (held.status, TaskRecord.objects.count()) == ("doing", 0)


def test_acks_commit_with_the_completion(complete, as_agent, harbour, held, scout, forge, rings):
    mention = _ring(harbour, forge)

    done = complete(ack_ids=[mention.pk])

    mention.refresh_from_db()
    assert (done.acked, mention.acked_by_instance) == ([mention.pk], "main")
    assert rings(forge) == []


def test_another_s_mention_among_the_acks_refuses_all_of_it(complete, harbour, held, scout, forge):
    own, other = _ring(harbour, forge), _ring(harbour, scout)

    with pytest.raises(Forbidden):
        complete(ack_ids=[own.pk, other.pk])

    held.refresh_from_db()
    own.refresh_from_db()
    assert (held.status, own.acked_at, TaskRecord.objects.count()) == ("doing", None, 0)


def test_an_unknown_mention_among_the_acks_refuses_all_of_it(complete, held):
    with pytest.raises(NotFound):
        complete(ack_ids=["01J0000000000000000000000X"])

    held.refresh_from_db()
    assert held.status == "doing"


def test_a_finished_task_rings_no_more(complete, as_agent, harbour, scout, forge, rings):
    made = create_task(
        as_agent(scout), room=harbour.pk, title="Sand it", definition_of_done="Smooth.", assignee=forge.plate
    )
    claim_task(as_agent(forge), task_id=made.task_id)
    assert rings(forge) == [("assigned", made.task_id)]

    complete_task(as_agent(forge), task_id=made.task_id, **DONE)

    assert rings(forge) == []


def test_a_repeat_by_the_holder_gets_the_same_answer_and_writes_nothing(complete, harbour, held, scout, forge):
    factories.make_task(harbour, creator=scout, assignee=scout, depends_on=[held])
    first = complete().wire()
    written = AuditRow.objects.count(), Mention.objects.count()

    assert complete().wire() == first
    assert (AuditRow.objects.count(), Mention.objects.count()) == written


def test_a_repeat_that_says_something_else_is_refused(complete):
    complete()

    with pytest.raises(Conflict):
        complete(handoff_notes="Something else.")
    with pytest.raises(Conflict):
        complete(status="failed", handoff_notes=None)


def test_the_same_key_gets_the_same_answer_and_other_notes_under_it_a_conflict(complete, held):
    first = complete(idempotency_key="k")

    assert complete(idempotency_key="k").wire() == first.wire()
    with pytest.raises(Conflict, match="idempotency_key"):
        complete(idempotency_key="k", handoff_notes="Other.")
    assert TaskRecord.objects.filter(task=held).count() == 1


@pytest.mark.parametrize(
    ("status", "advice", "never"),
    [
        ("cancelled", "Only people can open it again", "set_status"),
        ("failed", "Set it to todo with `set_status`", "people"),
        ("blocked", "Its holder goes on with `set_status` doing", "claim_task"),
        ("todo", "Take it with `claim_task`", "set_status"),
    ],
)
def test_what_cannot_be_closed_out_comes_with_advice_that_works(
    as_agent, as_person, ada, held, forge, status, advice, never
):
    if status == "todo":
        release_task(as_agent(forge), task_id=held.pk)
    else:
        actor = as_person(ada) if status == "cancelled" else as_agent(forge)
        set_status(actor, task_id=held.pk, status=status, reason="No paint.")

    for text in ({"fence": None}, {"fence": Task.objects.get(pk=held.pk).fence}):
        with pytest.raises((Conflict, StaleLease)) as refused:
            complete_task(as_agent(forge), task_id=held.pk, **DONE, **text)
        if isinstance(refused.value, Conflict):
            assert advice in refused.value.message
            assert never not in refused.value.message


@pytest.mark.parametrize("status", ["done", "failed", "cancelled"])
def test_an_ended_task_is_never_said_to_be_claimed(as_agent, harbour, scout, forge, status):
    """Whoever never held it is told the same way on, whatever it tries."""
    ended = factories.make_task(harbour, creator=scout, assignee=forge, status=status)
    TaskHold.objects.filter(task=ended).delete()

    for write in (
        lambda: complete_task(as_agent(forge), task_id=ended.pk, **DONE),
        lambda: release_task(as_agent(forge), task_id=ended.pk),
        lambda: renew_lease(as_agent(forge), task_id=ended.pk),
        lambda: claim_task(as_agent(forge), task_id=ended.pk),
    ):
        with pytest.raises(Conflict) as refused:
            write()
        assert next_step(ended) in refused.value.message
    assert "Take it with `claim_task` first" not in next_step(ended)


def test_a_stranger_may_not_complete_it(complete, as_agent, quill, scout):
    for agent in (quill, scout):
        with pytest.raises(Forbidden):
            complete(as_agent(agent))


def test_the_assignee_of_an_open_task_must_claim_it_first(as_agent, task, forge):
    with pytest.raises(Conflict, match="claim_task"):
        complete_task(as_agent(forge), task_id=task.pk, **DONE)


def test_an_old_fence_completes_nothing(complete, held):
    with pytest.raises(StaleLease) as refused:
        complete(fence=0)

    held.refresh_from_db()
    assert refused.value.facts == {"fence": 1}
    assert held.status == "doing"


def test_completing_what_unblocks_two_is_one_board_change_with_a_revision_for_each(complete, harbour, held, scout):
    freed = [factories.make_task(harbour, creator=scout, assignee=scout, depends_on=[held]) for _ in range(2)]

    complete()

    harbour.refresh_from_db()
    assert harbour.board_version == 1
    assert set(Revision.objects.values_list("record_id", flat=True)) == {held.pk, *(task.pk for task in freed)}
    assert (
        list(AuditRow.objects.order_by("seq").values_list("act", flat=True)) == ["task.complete"] + ["task.unblock"] * 2
    )


@pytest.mark.parametrize("dependents", [1, 5])
def test_the_number_of_statements_does_not_grow_with_what_is_set_free(
    complete, as_agent, harbour, held, scout, forge, counting_queries, dependents
):
    for _ in range(dependents):
        factories.make_task(harbour, creator=scout, assignee=scout, depends_on=[held])
    actor = as_agent(forge)

    with counting_queries() as queries:
        complete(actor)

    statements = [query for query in queries if "SAVEPOINT" not in query["sql"]]
    # SQLite updates each row by itself, in this process: there is no round trip to save.
    assert len(statements) == {"postgresql": 12, "sqlite": 18 + dependents}[connection.vendor]


def _ring(room, agent):
    sent = send_message(
        factories.human_of(room.created_by),
        room=room.pk,
        body="Look",
        mention_targets=[MentionTarget(plate=agent.plate)],
    )
    return Mention.objects.get(pk=sent.deliveries[0].mention_id)
