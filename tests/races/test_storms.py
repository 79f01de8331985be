"""One request sent many times at once: one effect, one answer, for every write of tasks (I-12)."""

from __future__ import annotations

import pytest

from agentroom.core.errors import Conflict
from agentroom.core.models import AuditRow, IdempotentReceipt
from tasks.models import Task
from tasks.operations.archive import archive_task
from tasks.operations.claim import claim_task
from tasks.operations.complete import complete_task
from tasks.operations.create import create_task
from tasks.operations.edit import update_task
from tasks.operations.release import release_task
from tasks.operations.status import set_status
from tests import factories
from tests.races.crowd import at_once, nothing_is_broken

pytestmark = pytest.mark.django_db(transaction=True)

STORM = 8

KEYED = {
    "create": lambda actor, task, key: create_task(
        actor, room=task.room_id, title="T", definition_of_done="D", idempotency_key=key
    ),
    "claim": lambda actor, task, key: claim_task(actor, task_id=task.pk, idempotency_key=key),
    "complete": lambda actor, task, key: complete_task(
        actor, task_id=task.pk, status="done", summary="S", handoff_notes="N", idempotency_key=key
    ),
}
# Without a key: the first moves the task, a repeat is told so or changes nothing.
UNKEYED = {
    "release": ("doing", lambda actor, task: release_task(actor, task_id=task.pk)),
    "block": ("doing", lambda actor, task: set_status(actor, task_id=task.pk, status="blocked", reason="R")),
    "reopen": ("failed", lambda actor, task: set_status(actor, task_id=task.pk, status="todo")),
    "edit": ("todo", lambda actor, task: update_task(actor, task_id=task.pk, title="Other")),
    "archive": ("done", lambda actor, task: archive_task(actor, task_id=task.pk)),
}


@pytest.fixture
def make(cast):
    return lambda status: factories.make_task(cast.harbour, creator=cast.scout, assignee=cast.scout, status=status)


@pytest.mark.parametrize("name", KEYED)
def test_one_key_is_one_effect_and_one_answer(cast, as_agent, make, name):
    actor = as_agent(cast.scout)
    task = make({"create": "todo", "claim": "todo", "complete": "doing"}[name])

    answers = at_once([lambda: KEYED[name](actor, task, "one")] * STORM)

    assert len({str(answer.wire()) for answer in answers}) == 1
    assert AuditRow.objects.count() == IdempotentReceipt.objects.count() == 1
    assert nothing_is_broken()


@pytest.mark.parametrize("name", ["claim", "complete"])
def test_one_key_for_two_contents_at_once_is_one_effect_and_conflicts(cast, as_agent, make, name):
    actor = as_agent(cast.scout)
    first, second = (make({"claim": "todo", "complete": "doing"}[name]) for _ in range(2))

    outcomes = at_once([lambda task=task: KEYED[name](actor, task, "one") for task in (first, second)] * (STORM // 2))

    refused = [outcome for outcome in outcomes if isinstance(outcome, Conflict)]
    assert len(refused) == STORM // 2
    assert AuditRow.objects.count() == 1
    assert nothing_is_broken()


@pytest.mark.parametrize("name", UNKEYED)
def test_without_a_key_a_repeat_changes_nothing(cast, as_agent, make, name):
    status, write = UNKEYED[name]
    actor, task = as_agent(cast.scout), make(status)

    outcomes = at_once([lambda: write(actor, task)] * STORM)

    assert any(not isinstance(outcome, Exception) for outcome in outcomes)
    assert AuditRow.objects.count() == 1
    assert Task.objects.get(pk=task.pk).revision == 2
    assert nothing_is_broken()
