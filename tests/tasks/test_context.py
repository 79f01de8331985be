"""What tasks say in room context, and what rooms ask of tasks."""

from __future__ import annotations

from datetime import timedelta

import pytest

from agentroom.core.clock import db_now, shifted
from agentroom.core.errors import NotFound
from identity.models import Instance
from rooms.operations.messages import send_message
from rooms.queries.context import get_room_context
from rooms.queries.members import list_instances
from tasks.operations.claim import claim_task
from tasks.operations.complete import complete_task
from tests import factories

DONE = {"status": "done", "summary": "Did it."}


@pytest.fixture
def read(as_agent, harbour):
    return lambda agent, **arguments: get_room_context(as_agent(agent), room=harbour.pk, **arguments).wire()


def test_the_caller_s_open_tasks_come_with_lock_and_stale_state(read, harbour, scout, forge, held):
    waiting = factories.make_task(harbour, creator=scout, assignee=forge, depends_on=[held], order=5)
    factories.make_task(harbour, creator=scout, assignee=forge, status="done")
    factories.make_task(harbour, creator=scout, assignee=scout)

    with shifted(timedelta(minutes=11)):
        first, second = read(forge)["active_tasks"]

    assert (first["task_id"], first["fence"], first["holder"]["same_instance"]) == (held.pk, 1, True)
    assert (first["stale"], first["stale_reason"]) == (True, "lease_ended")
    assert (second["task_id"], second["blocked_by"]) == (waiting.pk, [held.pk])


def test_the_latest_letter_to_the_caller_comes_whole(read, as_agent, harbour, scout, forge):
    first, second = (factories.make_task(harbour, creator=scout, assignee=scout, status="doing") for _ in range(2))
    for before in (first, second):
        factories.make_task(harbour, f"After {before.pk}", creator=scout, assignee=forge, depends_on=[before])
    for before, notes in ((second, "from second\r\n"), (first, "from first\r\n")):
        complete_task(as_agent(scout), task_id=before.pk, handoff_notes=notes, **DONE)

    handoff = read(forge)["handoff"]

    assert handoff["title"] == f"After {first.pk}"
    assert [note["notes"] for note in handoff["handoff_notes"]] == ["from first\r\n"]


def test_there_is_no_letter_before_a_prerequisite_is_done(read, harbour, scout, forge, held):
    factories.make_task(harbour, creator=scout, assignee=scout, depends_on=[held])

    assert "handoff" not in read(scout)


def test_a_task_that_changed_brings_only_the_classes_that_depend_on_tasks(read, as_agent, task, forge):
    claim_task(as_agent(forge), task_id=task.pk)
    version = read(forge)["context_version"]
    assert claim_task(as_agent(forge), task_id=task.pk).claimed is False
    assert read(forge, since_version=version) == {"context_version": version, "not_modified": True}

    complete_task(as_agent(forge), task_id=task.pk, handoff_notes="In the shed.", **DONE)
    delta = read(forge, since_version=version)
    assert (delta["complete"], delta["classes"]) == (False, ["tasks"])
    assert delta["active_tasks"] == []


def test_the_number_of_statements_does_not_grow_with_the_caller_s_tasks(read, harbour, scout, forge, counting_queries):
    counts = []
    for _ in range(2):
        for _ in range(10):
            first = factories.make_task(harbour, creator=scout, assignee=forge)
            factories.make_task(harbour, creator=scout, assignee=forge, depends_on=[first])
        read(forge)
        with counting_queries() as queries:
            read(forge)
        counts.append(len(queries))

    assert counts[0] == counts[1]


def test_a_message_may_name_a_task_of_its_room_only(as_agent, harbour, task, scout, ada):
    elsewhere = factories.make_task(factories.make_room("Attic", admin=ada), creator=ada)

    sent = send_message(as_agent(scout), room=harbour.pk, body="About this.", task_id=task.pk)
    assert sent.seq == 1
    for foreign in (elsewhere.pk, "01J0000000000000000000000X"):
        with pytest.raises(NotFound):
            send_message(as_agent(scout), room=harbour.pk, body="About that.", task_id=foreign)


def test_who_is_live_says_what_each_instance_works_on(as_agent, harbour, held, scout, forge):
    Instance.objects.create(agent=forge, name="main", last_seen_at=db_now())

    (live,) = list_instances(as_agent(scout), room=harbour.pk).agents
    assert [(one.instance_id, one.task_id) for one in live.instances] == [("main", held.pk)]
