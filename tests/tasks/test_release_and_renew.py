"""Giving the lock back, taking it from a holder that is gone, and the heartbeat in between."""

from __future__ import annotations

from datetime import timedelta

import pytest

from agentroom.core.clock import db_now, shifted
from agentroom.core.errors import Conflict, Forbidden, NotFound, ThreadNotActive
from agentroom.core.models import AuditRow
from identity.actors import SystemActor
from rooms.models import RoomStatus
from tasks.operations.claim import claim_task
from tasks.operations.create import create_task
from tasks.operations.release import force_release, release_by_operator, release_task
from tasks.operations.renew import renew_lease
from tests import factories


def test_a_release_gives_the_task_back_to_its_own_assignee(as_agent, held, forge, rings):
    released = release_task(as_agent(forge), task_id=held.pk)

    assert (released.status, released.assignee, released.fence) == ("todo", forge.plate, 2)
    assert (released.holder, released.lease_expires_at) == (None, None)
    assert rings(forge) == []


def test_a_released_task_can_be_claimed_again_at_the_next_fence(as_agent, held, forge):
    release_task(as_agent(forge), task_id=held.pk)

    assert claim_task(as_agent(forge, "second"), task_id=held.pk).fence == 3


@pytest.mark.parametrize("status", ["todo", "blocked", "done"])
def test_only_what_is_doing_can_be_released(as_agent, harbour, scout, forge, status):
    task = factories.make_task(harbour, creator=scout, assignee=forge, status=status)

    with pytest.raises(Conflict):
        release_task(as_agent(forge), task_id=task.pk)


def test_people_who_administer_and_the_assignee_s_owner_may_force_it(as_person, harbour, scout, quill, ada, grace):
    for person in (ada, grace):
        task = factories.make_task(harbour, creator=scout, assignee=quill, status="doing")
        released = force_release(as_person(person), task_id=task.pk)
        assert (released.status, released.assignee, released.fence) == ("todo", quill.plate, 2)


def test_another_member_may_not_force_it(as_person, held, grace):
    with pytest.raises(Forbidden):
        force_release(as_person(grace), task_id=held.pk)


def test_an_operator_of_the_server_may_force_it_from_outside(held, harbour):
    released = release_by_operator(SystemActor(operator_id="op"), task_id=held.pk)

    assert released.status == "todo"
    row = AuditRow.objects.get(chain=harbour.pk)
    assert (row.act, row.actor_key) == ("task.force_release", "operator:op")


def test_a_renewal_extends_the_lease_and_leaves_no_history(as_agent, harbour, held, forge):
    with shifted(timedelta(minutes=5)):
        renewed = renew_lease(as_agent(forge), task_id=held.pk)

    held.refresh_from_db()
    harbour.refresh_from_db()
    assert renewed.lease_expires_at == held.lease_expires_at > db_now() + timedelta(minutes=14)
    assert (renewed.fence, held.revision, harbour.board_version, AuditRow.objects.count()) == (1, 1, 0, 0)


def test_a_renewal_tells_a_busy_agent_of_its_mail(as_agent, as_person, harbour, held, forge, ada):
    create_task(as_person(ada), room=harbour.pk, title="Next", definition_of_done="Done.", assignee=forge.plate)

    assert renew_lease(as_agent(forge), task_id=held.pk).pending.mentions == 1


def test_a_lease_that_has_ended_is_renewed_by_its_holder_all_the_same(as_agent, held, forge):
    with shifted(timedelta(hours=3)):
        assert renew_lease(as_agent(forge), task_id=held.pk).fence == 1


def test_a_blocked_task_keeps_a_lease_that_its_holder_renews(as_agent, harbour, scout, forge):
    blocked = factories.make_task(harbour, creator=scout, assignee=forge, status="blocked")

    assert renew_lease(as_agent(forge), task_id=blocked.pk).fence == 1


def test_the_instance_argument_names_who_renews(as_agent, harbour, scout, forge):
    held = factories.make_task(harbour, creator=scout, assignee=forge, status="doing", instance_id="second")

    assert renew_lease(as_agent(forge), task_id=held.pk, instance_id="second").fence == 1
    with pytest.raises(Conflict):
        renew_lease(as_agent(forge), task_id=held.pk)


def test_a_renewal_in_a_foreign_or_paused_room_is_refused(as_agent, harbour, held, forge, grace):
    outsider = factories.make_agent(grace, "outsider")

    with pytest.raises(NotFound):
        renew_lease(as_agent(outsider), task_id=held.pk)
    harbour.status = RoomStatus.PAUSED
    harbour.save(update_fields=["status"])
    with pytest.raises(ThreadNotActive):
        renew_lease(as_agent(forge), task_id=held.pk)
