"""What a late write is told: an earlier holder STALE_LEASE, a stranger FORBIDDEN, the right holder CONFLICT (I-01)."""

from __future__ import annotations

import pytest

from agentroom.core.errors import Conflict, Forbidden, NotFound, StaleLease, Validation
from rooms.models import AgentMember
from tasks.models import Task
from tasks.operations.archive import archive_task
from tasks.operations.assign import assign_task
from tasks.operations.claim import claim_task
from tasks.operations.complete import complete_task
from tasks.operations.edit import update_task
from tasks.operations.release import force_release, release_task
from tasks.operations.renew import renew_lease
from tasks.operations.status import set_status
from tests import factories

DONE = {"status": "done", "summary": "Did it.", "handoff_notes": "In the shed."}

WRITES = {
    "complete": lambda actor, **more: complete_task(actor, **DONE, **more),
    "fail": lambda actor, **more: complete_task(actor, status="failed", summary="It sank.", **more),
    "block": lambda actor, **more: set_status(actor, status="blocked", reason="No paint.", **more),
    "give up": lambda actor, **more: set_status(actor, status="failed", reason="It sank.", **more),
    "cancel": lambda actor, **more: set_status(actor, status="cancelled", **more),
    "put back": lambda actor, **more: set_status(actor, status="todo", **more),
    "release": release_task,
    "renew": renew_lease,
    "edit": lambda actor, **more: update_task(actor, detail="Mine.", **more),
}
every_write = pytest.mark.parametrize("write", WRITES.values(), ids=WRITES)


@pytest.fixture
def untouched():
    """`untouched(task)` remembers its row; calling the answer asserts that no column has changed."""

    def remember(task):
        before = Task.objects.filter(pk=task.pk).values().get()
        return lambda: Task.objects.filter(pk=task.pk).values().get() == before

    return remember


@pytest.fixture
def reassigned(as_person, harbour, held, ada, scout):
    """`held`, moved from forge to scout by a person: fence 2."""
    assign_task(as_person(ada), task_id=held.pk, assignee=scout.plate)
    held.refresh_from_db()
    return held


@every_write
@pytest.mark.parametrize("fence", [None, 1], ids=["without the argument", "with the old fence"])
def test_a_plate_that_held_it_before_a_reassignment_is_stale(as_agent, reassigned, forge, untouched, write, fence):
    is_unchanged = untouched(reassigned)

    with pytest.raises(StaleLease) as refused:
        write(as_agent(forge), task_id=reassigned.pk, **({} if fence is None else {"fence": fence}))

    assert refused.value.facts == {"fence": 2}
    assert is_unchanged()


@every_write
def test_an_instance_is_stale_after_a_force_release(as_agent, as_person, held, ada, forge, untouched, write):
    force_release(as_person(ada), task_id=held.pk)
    is_unchanged = untouched(held)

    with pytest.raises(StaleLease):
        write(as_agent(forge), task_id=held.pk)

    assert is_unchanged()


@every_write
def test_an_instance_is_stale_while_its_sister_holds_the_task_now(as_agent, held, forge, untouched, write):
    release_task(as_agent(forge), task_id=held.pk)
    claim_task(as_agent(forge, "second"), task_id=held.pk)
    is_unchanged = untouched(held)

    with pytest.raises(StaleLease):
        write(as_agent(forge), task_id=held.pk)

    assert is_unchanged()


@every_write
def test_naming_the_old_fence_is_stale_even_for_the_present_holder(as_agent, held, forge, untouched, write):
    release_task(as_agent(forge), task_id=held.pk)
    claim_task(as_agent(forge), task_id=held.pk)
    is_unchanged = untouched(held)

    with pytest.raises(StaleLease):
        write(as_agent(forge), task_id=held.pk, fence=1)

    assert is_unchanged()


@every_write
def test_a_plate_that_never_held_it_is_forbidden(as_agent, held, quill, untouched, write):
    is_unchanged = untouched(held)

    with pytest.raises(Forbidden):
        write(as_agent(quill), task_id=held.pk)

    assert is_unchanged()


@pytest.mark.parametrize("name", ["complete", "fail", "block", "give up", "put back", "release", "renew"])
def test_a_sister_of_the_holder_is_told_who_holds_it(as_agent, held, forge, untouched, name):
    is_unchanged = untouched(held)

    with pytest.raises(Conflict) as refused:
        WRITES[name](as_agent(forge, "second"), task_id=held.pk)

    assert refused.value.facts == {"holder": "main", "fence": 1}
    assert is_unchanged()


@pytest.mark.parametrize("name", ["complete", "fail", "block", "give up", "put back", "release", "renew"])
def test_naming_the_present_fence_proves_the_hold_from_any_instance(as_agent, held, forge, name):
    WRITES[name](as_agent(forge, "second"), task_id=held.pk, fence=1)


@pytest.mark.parametrize("status", ["done", "failed"])
@pytest.mark.parametrize("name", ["complete", "block", "release", "renew"])
def test_the_right_holder_in_the_wrong_status_is_a_conflict(as_agent, harbour, scout, forge, status, name):
    ended = factories.make_task(harbour, creator=scout, assignee=forge, status=status)

    with pytest.raises(Conflict):
        WRITES[name](as_agent(forge), task_id=ended.pk)


def test_a_holder_that_took_it_twice_is_still_the_right_one_after_the_end(as_agent, held, forge):
    actor = as_agent(forge)
    release_task(actor, task_id=held.pk)
    claim_task(actor, task_id=held.pk)
    complete_task(actor, task_id=held.pk, **DONE)

    with pytest.raises(Conflict):
        set_status(actor, task_id=held.pk, status="blocked", reason="Late.")


def test_a_fence_that_was_never_reached_is_bad_input(as_agent, held, forge):
    with pytest.raises(Validation) as refused:
        complete_task(as_agent(forge), task_id=held.pk, fence=9, **DONE)

    assert set(refused.value.fields) == {"fence"}


def test_after_a_release_the_assignee_names_the_present_fence_to_go_on_without_a_claim(as_agent, held, forge):
    released = release_task(as_agent(forge), task_id=held.pk)

    parked = set_status(as_agent(forge), task_id=held.pk, status="blocked", reason="Later.", fence=released.fence)

    assert parked.status == "blocked"


def test_an_archive_under_an_old_fence_is_stale(as_agent, as_person, held, ada, scout):
    force_release(as_person(ada), task_id=held.pk)
    set_status(as_agent(scout), task_id=held.pk, status="cancelled")

    with pytest.raises(StaleLease):
        archive_task(as_agent(scout), task_id=held.pk, fence=1)


def test_a_holder_that_left_the_room_finds_no_task(as_agent, harbour, held, forge):
    actor = as_agent(forge)
    AgentMember.objects.filter(room=harbour, agent=forge).delete()

    with pytest.raises(NotFound):
        complete_task(actor, task_id=held.pk, **DONE)


def test_the_fence_grows_by_one_at_every_change_of_hands(as_agent, as_person, held, ada, scout, forge):
    fences = [
        release_task(as_agent(forge), task_id=held.pk).fence,
        claim_task(as_agent(forge, "copy"), task_id=held.pk).fence,
        force_release(as_person(ada), task_id=held.pk).fence,
        assign_task(as_person(ada), task_id=held.pk, assignee=scout.plate).fence,
        claim_task(as_agent(scout), task_id=held.pk).fence,
        set_status(as_agent(scout), task_id=held.pk, status="todo").fence,
    ]

    assert fences == [2, 3, 4, 5, 6, 7]
