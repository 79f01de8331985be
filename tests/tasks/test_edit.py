"""Editing: who may change what, until when, and what an edit of dependencies sets free."""

from __future__ import annotations

import pytest

from agentroom.core.errors import Conflict, Forbidden, NoGrant, StaleLease, Validation
from agentroom.core.models import AuditRow
from tasks.models import Task
from tasks.operations.edit import update_task
from tasks.operations.release import release_task
from tests import factories


def test_the_creator_changes_every_field(as_agent, task, scout, library):
    library["a.md"] = "file:a.md@1"

    edited = update_task(
        as_agent(scout),
        task_id=task.pk,
        title="Sand the hull",
        detail="First the bow.",
        definition_of_done="It is smooth.",
        order=7,
        spec_ref="file:a.md",
    )

    wanted = ("Sand the hull", "First the bow.", "It is smooth.", 7, "file:a.md@1")
    assert (edited.title, edited.detail, edited.definition_of_done, edited.order, edited.spec_ref) == wanted
    assert edited.revision == 2


def test_what_is_not_given_stays(as_agent, task, scout):
    edited = update_task(as_agent(scout), task_id=task.pk, detail="More.")

    assert (edited.title, edited.definition_of_done) == (task.title, task.definition_of_done)


def test_an_empty_detail_takes_the_detail_away(as_agent, task, scout):
    update_task(as_agent(scout), task_id=task.pk, detail="More.")

    assert update_task(as_agent(scout), task_id=task.pk, detail="").detail is None


def test_the_assignee_changes_detail_and_order_only(as_agent, harbour, grace, quill, scout):
    factories.set_trust(harbour, grace)
    task = factories.make_task(harbour, creator=scout, assignee=quill)

    assert update_task(as_agent(quill), task_id=task.pk, detail="Mine.", order=3).order == 3
    with pytest.raises(Forbidden, match="detail and order"):
        update_task(as_agent(quill), task_id=task.pk, title="Mine")


def test_agents_of_a_room_admin_edit_any_task_of_their_owner(as_agent, harbour, scout, forge, ada):
    task = factories.make_task(harbour, creator=ada, assignee=scout)

    assert update_task(as_agent(forge), task_id=task.pk, title="Other").title == "Other"


def test_a_stranger_edits_nothing(as_agent, task, quill):
    with pytest.raises(Forbidden):
        update_task(as_agent(quill), task_id=task.pk, detail="Mine.")


def test_once_trust_is_off_no_other_owner_s_agent_edits_not_even_the_creator(as_agent, harbour, grace, quill, scout):
    factories.set_trust(harbour, grace)
    task = factories.make_task(harbour, creator=scout, assignee=quill)
    assert update_task(as_agent(scout), task_id=task.pk, title="While trusted").title == "While trusted"

    factories.set_trust(harbour, grace, on=False)

    with pytest.raises(NoGrant) as refused:
        update_task(as_agent(scout), task_id=task.pk, title="After")
    assert refused.value.facts == {"owner": "grace"}
    assert update_task(as_agent(quill), task_id=task.pk, detail="Mine.").detail == "Mine."


def test_a_person_who_administers_edits_whatever_trust_says(as_person, harbour, ada, quill):
    task = factories.make_task(harbour, creator=quill, assignee=quill)

    assert update_task(as_person(ada), task_id=task.pk, title="Other").title == "Other"


def test_a_plain_member_edits_only_what_they_made(as_person, harbour, task, grace):
    own = factories.make_task(harbour, creator=grace)

    assert update_task(as_person(grace), task_id=own.pk, title="Other").title == "Other"
    with pytest.raises(Forbidden):
        update_task(as_person(grace), task_id=task.pk, title="Other")


@pytest.mark.parametrize("status", ["done", "failed", "cancelled"])
def test_a_task_that_has_ended_keeps_its_text(as_agent, harbour, scout, status):
    task = factories.make_task(harbour, creator=scout, assignee=scout, status=status)

    with pytest.raises(Conflict, match=status):
        update_task(as_agent(scout), task_id=task.pk, title="Other")


def test_an_edit_must_name_a_field(as_agent, task, scout):
    with pytest.raises(Validation):
        update_task(as_agent(scout), task_id=task.pk)


def test_an_edit_that_changes_nothing_leaves_no_trace(as_agent, harbour, task, scout):
    assert update_task(as_agent(scout), task_id=task.pk, title=task.title).revision == 1

    harbour.refresh_from_db()
    assert (harbour.board_version, AuditRow.objects.count()) == (0, 0)


def test_an_edit_of_what_has_changed_since_it_was_read_is_a_conflict_and_stores_nothing(as_agent, harbour, task, scout):
    update_task(as_agent(scout), task_id=task.pk, title="Sand the hull", expected_revision=1)

    for edit in ({"title": "Scrub the hull"}, {"title": "Sand the hull"}, {"depends_on": []}):
        with pytest.raises(Conflict, match="revision 2") as refused:
            update_task(as_agent(scout), task_id=task.pk, **edit, expected_revision=1)
        assert refused.value.facts == {"revision": 2}

    task.refresh_from_db()
    assert (task.title, task.revision, AuditRow.objects.count()) == ("Sand the hull", 2, 1)
    assert update_task(as_agent(scout), task_id=task.pk, title="Scrub it", expected_revision=2).revision == 3


def test_audit_names_the_edited_fields_and_not_their_text(as_agent, task, scout):
    update_task(as_agent(scout), task_id=task.pk, title="Sand the hull", detail="Bow first.")

    row = AuditRow.objects.get(record_id=task.pk)
    assert (row.act, row.after) == ("task.update", {"fields": ["detail", "title"]})


def test_an_edit_under_an_old_fence_changes_nothing(as_agent, held, scout, forge):
    release_task(as_agent(forge), task_id=held.pk)

    with pytest.raises(StaleLease):
        update_task(as_agent(scout), task_id=held.pk, title="Other", fence=1)
    held.refresh_from_db()
    assert held.title == "Paint the hull"


def test_taking_the_last_open_prerequisite_away_rings_the_assignee_once(as_agent, harbour, task, scout, forge, rings):
    waiting = factories.make_task(harbour, creator=scout, assignee=forge, depends_on=[task])

    update_task(as_agent(scout), task_id=waiting.pk, depends_on=[])
    update_task(as_agent(scout), task_id=waiting.pk, title="Again")

    assert rings(forge) == [("unblocked", waiting.pk)]


def test_a_task_that_waits_again_and_becomes_ready_again_rings_again(as_agent, harbour, task, scout, forge, rings):
    waiting = factories.make_task(harbour, creator=scout, assignee=forge, depends_on=[task])
    actor = as_agent(scout)

    for depends_on in ([], [task.pk], []):
        update_task(actor, task_id=waiting.pk, depends_on=depends_on)

    assert rings(forge) == [("unblocked", waiting.pk)] * 2


def test_what_somebody_works_on_keeps_its_prerequisites(as_agent, held, pool_task, scout):
    with pytest.raises(Conflict, match="working"):
        update_task(as_agent(scout), task_id=held.pk, depends_on=[pool_task.pk])


def test_a_prerequisite_archived_meanwhile_may_stay_in_the_list(as_agent, harbour, scout, pool_task):
    done = factories.make_task(harbour, creator=scout, assignee=scout, status="done")
    waiting = factories.make_task(harbour, creator=scout, depends_on=[done])
    Task.objects.filter(pk=done.pk).update(archived_at=done.finished_at)

    edited = update_task(as_agent(scout), task_id=waiting.pk, depends_on=[done.pk, pool_task.pk])

    assert edited.depends_on == [done.pk, pool_task.pk]
