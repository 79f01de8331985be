"""Creating tasks: whom they may go to, what they may wait for, and whom they ring."""

from __future__ import annotations

import pytest

from agentroom.core import limits
from agentroom.core.clock import db_now
from agentroom.core.errors import Conflict, LimitReached, NoGrant, NotFound, ThreadNotActive, Validation
from agentroom.core.models import AuditRow, Revision
from rooms.models import RoomStatus
from tasks.models import Dependency, Task
from tasks.operations.claim import claim_task
from tasks.operations.create import create_task
from tasks.queries.task import task_of
from tests import factories

TEXT = {"title": "Paint the hull", "definition_of_done": "The hull is blue and dry."}


@pytest.fixture
def create(as_agent, harbour, scout):
    return lambda actor=None, **fields: create_task(actor or as_agent(scout), room=harbour.pk, **{**TEXT, **fields})


def test_a_task_without_assignee_waits_in_the_pool_and_rings_nobody(create, rings, scout, forge, quill):
    made = create()

    assert (made.status, made.assignee, made.claimable, made.fence) == ("todo", None, True, 0)
    assert not any(rings(agent) for agent in (scout, forge, quill))


def test_an_assigned_ready_task_rings_its_assignee(create, rings, forge):
    made = create(assignee=forge.plate)

    assert (made.assignee, made.consent) == (forge.plate, "auto")
    assert rings(forge) == [("assigned", made.task_id)]


def test_an_assigned_task_with_an_open_prerequisite_waits_to_ring(create, rings, task, forge):
    made = create(assignee=forge.plate, depends_on=[task.pk])

    assert made.blocked_by == [task.pk]
    assert made.claimable is None
    assert rings(forge) == []


def test_the_author_comes_from_the_actor(create, scout):
    assert create().created_by == "@scout(ada)"
    assert Task.objects.get().creator_agent == scout


def test_a_person_makes_tasks_too(as_person, create, ada, rings, forge):
    made = create(as_person(ada), assignee=forge.plate)

    assert made.created_by == "@ada"
    assert rings(forge) == [("assigned", made.task_id)]


def test_another_owner_s_agent_with_trust_off_is_refused_and_nothing_is_stored(create, quill):
    with pytest.raises(NoGrant) as refused:
        create(assignee=quill.plate)

    assert refused.value.facts == {"owner": "grace"}
    assert (Task.objects.count(), AuditRow.objects.count()) == (0, 0)


def test_another_owner_s_agent_with_trust_on_gets_it_accepted_and_claims_it_at_once(
    create, as_agent, harbour, grace, quill
):
    factories.set_trust(harbour, grace)

    made = create(assignee=quill.plate)

    assert (made.consent, made.claimable) == ("accepted", None)
    assert task_of(as_agent(quill), made.task_id).claimable is True
    assert claim_task(as_agent(quill), task_id=made.task_id).claimed is True


def test_trust_of_the_creator_s_owner_does_not_count_for_the_assignee_s(create, harbour, ada, quill):
    factories.set_trust(harbour, ada)

    with pytest.raises(NoGrant):
        create(assignee=quill.plate)


def test_an_assignee_outside_the_room_is_not_found(create, ada):
    outsider = factories.make_agent(ada, "outsider")

    with pytest.raises(NotFound):
        create(assignee=outsider.plate)


def test_each_new_task_goes_to_the_end_of_its_lane(create, forge):
    first, second, pooled = create(assignee=forge.plate), create(assignee=forge.plate), create()

    assert first.order < second.order
    assert pooled.order == first.order


def test_a_given_order_is_kept(create):
    assert create(order=-5).order == -5


def test_prerequisites_keep_their_order_and_lose_their_repeats(create, task, pool_task):
    made = create(depends_on=[pool_task.pk, task.pk, pool_task.pk])

    assert made.depends_on == [pool_task.pk, task.pk]
    assert Dependency.objects.filter(task_id=made.task_id).count() == 2


def test_a_done_prerequisite_holds_nothing_up(create, harbour, scout, forge, rings):
    done = factories.make_task(harbour, creator=scout, assignee=scout, status="done")

    made = create(assignee=forge.plate, depends_on=[done.pk])

    assert made.blocked_by is None
    assert rings(forge) == [("assigned", made.task_id)]


def test_a_cancelled_prerequisite_is_shown_with_its_state(create, harbour, scout):
    dropped = factories.make_task(harbour, creator=scout, status="cancelled")

    made = create(depends_on=[dropped.pk])

    assert (made.blocked_by, made.states) == ([dropped.pk], {dropped.pk: "cancelled"})


@pytest.mark.parametrize("kind", ["unknown", "foreign", "archived"])
def test_a_prerequisite_that_is_not_on_the_board_is_refused(create, harbour, ada, kind):
    other = factories.make_room("Attic", admin=ada)
    ids = {
        "unknown": "01J0000000000000000000000X",
        "foreign": factories.make_task(other, creator=ada).pk,
        "archived": factories.make_task(harbour, creator=ada, status="cancelled", archived_at=db_now()).pk,
    }
    before = Task.objects.count()

    with pytest.raises(Validation) as refused:
        create(depends_on=[ids[kind]])

    assert set(refused.value.fields) == {"depends_on"}
    assert Task.objects.count() == before


def test_a_spec_reference_is_stored_as_it_resolves(create, library):
    library["specs/hull.md"] = "file:specs/hull.md@3"

    assert create(spec_ref="file:specs/hull.md").spec_ref == "file:specs/hull.md@3"


def test_a_spec_reference_to_nothing_is_refused(create, library):
    with pytest.raises(Validation) as refused:
        create(spec_ref="file:specs/missing.md")

    assert set(refused.value.fields) == {"spec_ref"}
    assert not Task.objects.exists()


def test_a_full_board_takes_no_more_until_something_is_archived(create, monkeypatch, harbour, scout):
    monkeypatch.setattr("tasks.lanes.TASKS_PER_ROOM", 2)
    create()
    ended = factories.make_task(harbour, creator=scout, status="cancelled")

    with pytest.raises(LimitReached):
        create()

    Task.objects.filter(pk=ended.pk).update(archived_at=ended.finished_at)
    assert create().status == "todo"
    assert limits.TASKS_PER_ROOM == 500


def test_the_same_key_makes_one_task_and_gives_it_again_as_it_was(create, task):
    first = create(idempotency_key="k", depends_on=[task.pk])
    Task.objects.filter(pk=first.task_id).update(title="Something else")

    assert create(idempotency_key="k", depends_on=[task.pk]).wire() == first.wire()
    with pytest.raises(Conflict):
        create(idempotency_key="k", title="Other")
    assert Task.objects.count() == 2


def test_agents_make_no_tasks_in_a_room_that_is_not_active_and_people_do(create, as_person, harbour, ada):
    harbour.status = RoomStatus.STOPPED
    harbour.save(update_fields=["status"])

    with pytest.raises(ThreadNotActive):
        create()
    assert create(as_person(ada)).status == "todo"


def test_the_first_revision_carries_the_whole_record_and_the_audit_row_no_content(create, task):
    made = create(depends_on=[task.pk], detail="Use the old brush.")

    data = Revision.objects.get(record_id=made.task_id, revision=1).data
    assert (data["detail"], data["depends_on"]) == ("Use the old brush.", [task.pk])
    row = AuditRow.objects.get(record_id=made.task_id)
    assert row.act == "task.create"
    assert "brush" not in str(row.after)
