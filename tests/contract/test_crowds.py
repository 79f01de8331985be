"""Each changing tool called many times at once, in real threads: one effect for one key, and no fault (T-05)."""

from __future__ import annotations

from typing import Any

import pytest

from agentroom.gateway import dispatch
from agentroom.gateway.codes import codes
from tests import factories
from tests.conftest import make_cast
from tests.contract import matrix, rows, world
from tests.contract.test_repeats import each_keyed, keyed
from tests.races.crowd import at_once, nothing_is_broken

CHANGING = [row for row in matrix.rows() if not row.tool.read_only]
each_changing = pytest.mark.parametrize("row", CHANGING, ids=lambda row: row.tool.name)

AT_ONCE = 4
CODES = {kind.code for kind in codes()}


@each_keyed
@pytest.mark.django_db(transaction=True)
def test_many_calls_with_one_key_have_one_effect(row, settings):
    scene = _fresh(settings)
    actor, call = factories.actor_of(scene.cast.scout, instance_id=world.INSTANCE), keyed(row, scene)
    before = rows.counted()
    replies = at_once([lambda: dispatch.call(actor, row.tool.name, call, request_id="req_1")] * AT_ONCE)
    assert [reply.ok for reply in replies] == [True] * AT_ONCE, replies
    assert len({reply.text for reply in replies}) == 1
    _require_one_effect(before, rows.counted())
    assert nothing_is_broken()


@each_changing
@pytest.mark.django_db(transaction=True)
def test_many_calls_at_once_are_each_answered(row, settings):
    scene = _fresh(settings)
    actor = factories.actor_of(scene.cast.scout, instance_id=world.INSTANCE)
    call = world.filled(row.call, scene.own(scene.cast.scout))
    replies = at_once([lambda: dispatch.call(actor, row.tool.name, call, request_id="req_1")] * AT_ONCE)
    for reply in replies:
        assert reply.ok or reply.data["error"]["code"] in CODES - {"INTERNAL", "UNAVAILABLE"}, reply
    assert nothing_is_broken()


def _fresh(settings: Any) -> world.World:
    settings.RATE_LIMITS_ENABLED = False
    return world.build(make_cast())


def _require_one_effect(before: dict[str, int], after: dict[str, int]) -> None:
    added = {table: after[table] - before[table] for table in after if after[table] != before[table]}
    assert added["core_idempotentreceipt"] == 1
    records = {"rooms_message", "rooms_mention", "tasks_task", "tasks_taskrecord", "tasks_taskhold"} & added.keys()
    assert records, added
    assert all(added[table] == 1 for table in records), added
