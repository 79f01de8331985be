"""`@operation`: exactly one durable transaction, tried again where that can help, and first answers kept by key."""

from __future__ import annotations

from typing import Any

import pytest
from django.db import OperationalError, connection, transaction

from agentroom.core.errors import Conflict, Validation
from agentroom.core.models import AuditChain, IdempotentReceipt
from agentroom.core.operation import TRIES, operation
from agentroom.core.outputs import Output
from identity.actors import HumanActor, SystemActor

ACTOR = HumanActor(owner_id="1", name="ada", handle="ada")
OTHER = HumanActor(owner_id="2", name="grace", handle="grace")
calls: list[str] = []


class Made(Output):
    name: str
    count: int
    note: str | None = None


@operation
def make(
    actor: Any, *, name: str, note: str | None = None, fail: bool = False, idempotency_key: str | None = None
) -> Made:
    calls.append(name)
    AuditChain.objects.create(name=f"{name}-{len(calls)}", head="")
    if fail:
        raise Validation("no")
    return Made(name=name, count=len(calls), note=note)


@operation
def make_within(actor: Any) -> Made:
    return make(actor, name="inner")


@pytest.fixture(autouse=True)
def _uncounted() -> None:
    calls.clear()


@pytest.mark.django_db
def test_an_error_undoes_everything():
    with pytest.raises(Validation):
        make(ACTOR, name="a", fail=True, idempotency_key="k")
    assert not AuditChain.objects.exists()
    assert not IdempotentReceipt.objects.exists()


@pytest.mark.django_db(transaction=True)
def test_an_operation_in_an_operation_or_transaction_is_a_mistake_that_shows_at_once():
    with pytest.raises(RuntimeError):
        make_within(ACTOR)
    with pytest.raises(RuntimeError), transaction.atomic():
        make(ACTOR, name="a")
    assert not AuditChain.objects.exists()


@pytest.mark.django_db
def test_the_same_key_and_content_get_the_first_answer_and_do_nothing_twice():
    first = make(ACTOR, name="a", idempotency_key="k")
    assert make(ACTOR, name="a", idempotency_key="k") == first
    assert make(ACTOR, name="a", note=None, idempotency_key="k") == first
    assert calls == ["a"]
    assert AuditChain.objects.count() == 1


@pytest.mark.django_db
@pytest.mark.parametrize("changed", [{"name": "b"}, {"name": "a", "note": "x"}, {"name": "A"}, {"name": "a "}])
def test_the_same_key_with_other_content_is_a_conflict(changed: dict[str, str]):
    make(ACTOR, name="a", idempotency_key="k")
    with pytest.raises(Conflict) as refusal:
        make(ACTOR, **changed, idempotency_key="k")
    assert list(refusal.value.fields) == ["idempotency_key"]
    assert calls == ["a"]


@pytest.mark.django_db
def test_a_key_belongs_to_one_actor_and_one_operation():
    make(ACTOR, name="a", idempotency_key="k")
    make(OTHER, name="b", idempotency_key="k")
    assert calls == ["a", "b"]


@pytest.mark.django_db
def test_a_refused_call_leaves_its_key_unused():
    with pytest.raises(Validation):
        make(ACTOR, name="a", fail=True, idempotency_key="k")
    assert make(ACTOR, name="b", idempotency_key="k").name == "b"


@pytest.mark.django_db
def test_without_a_key_every_call_counts():
    assert [make(ACTOR, name="a").count for _ in range(3)] == [1, 2, 3]
    assert not IdempotentReceipt.objects.exists()


def lose(state: str) -> None:
    """Fail as the database does when it gives up one of two transactions that stand in each other's way."""
    if connection.vendor == "postgresql":
        with connection.cursor() as cursor:
            cursor.execute(f"DO $$ BEGIN RAISE EXCEPTION 'lost' USING ERRCODE = '{state}'; END $$")
    failure = Exception("lost")
    failure.sqlstate = state  # type: ignore[attr-defined]
    raise OperationalError("lost") from failure


@operation
def lose_at_first(actor: Any, *, times: int, state: str) -> Made:
    calls.append(state)
    AuditChain.objects.create(name=f"try-{len(calls)}", head="")
    if len(calls) <= times:
        lose(state)
    return Made(name=state, count=len(calls))


@pytest.mark.django_db(transaction=True)
@pytest.mark.parametrize("state", ["40001", "40P01"])
def test_a_lost_race_is_tried_again_and_leaves_one_trace(state: str):
    assert lose_at_first(SystemActor(), times=TRIES - 1, state=state).count == TRIES
    assert [chain.name for chain in AuditChain.objects.all()] == [f"try-{TRIES}"]


@pytest.mark.django_db(transaction=True)
def test_it_gives_up_after_three_tries():
    with pytest.raises(OperationalError):
        lose_at_first(SystemActor(), times=TRIES, state="40001")
    assert len(calls) == TRIES


@pytest.mark.django_db(transaction=True)
@pytest.mark.parametrize("state", ["55P03", "57014"])
def test_a_lock_that_timed_out_is_not_waited_for_again(state: str):
    with pytest.raises(OperationalError):
        lose_at_first(SystemActor(), times=1, state=state)
    assert len(calls) == 1
