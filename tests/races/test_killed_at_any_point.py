"""A process killed with -9 anywhere between request and answer: all of the act or none, and a repeat settles it (T-05).

`KILL_POINTS` says at how many points of each act.
"""

from __future__ import annotations

import os
from typing import Any

import pytest

from tests.contract import rows
from tests.races.acts import ACTS, Ground, changing, keyed
from tests.races.crowd import nothing_is_broken
from tests.races.mortal import killed_at, lived

POINTS = int(os.environ.get("KILL_POINTS", "4"))

pytestmark = pytest.mark.django_db(transaction=True)


def test_every_tool_that_changes_something_is_killed_here():
    assert set(ACTS) == {tool.name for tool in changing()}


@pytest.mark.parametrize("tool", sorted(ACTS))
def test_an_act_that_is_killed_has_happened_whole_or_not_at_all(cast, tool, record_property):
    ground = Ground(cast)
    _warm(ground, tool)
    whole, steps = _uninterrupted(ground, tool)
    record_property("kills", len(steps))
    ended = {True: 0, False: 0}
    for number, step in enumerate(steps):
        arguments = ACTS[tool](ground) | ({"idempotency_key": f"key-{number}"} if tool in keyed() else {})
        before = rows.counted()
        killed = killed_at(step, lambda arguments=arguments: _do(ground, tool, arguments))
        left = rows.added(before)
        # The number of steps differs a little from time to time, so the last may never be reached.
        assert left == whole or (killed and not left), f"half done when killed at step {step} of {steps[-1]}"
        ended[bool(left)] += 1
        if tool in keyed():
            first, second = (ground.call(tool, arguments) for _ in range(2))
            assert first.ok and first.text == second.text, first.data
            assert rows.added(before) == whole
    assert ended[False] and (ended[True] or not whole), f"never killed on either side of the commit: {ended}"
    assert nothing_is_broken()


def _warm(ground: Ground, tool: str) -> None:
    """What a process prepares once is no part of the act."""
    assert ground.call(tool, ACTS[tool](ground)).ok


def _uninterrupted(ground: Ground, tool: str) -> tuple[dict[str, int], list[int]]:
    """What the act adds to each table when nothing happens to it, and where to kill it."""
    arguments = ACTS[tool](ground) | ({"idempotency_key": "unharmed"} if tool in keyed() else {})
    before = rows.counted()
    points = lived(lambda: _do(ground, tool, arguments)).points(POINTS)
    return rows.added(before), points


def _do(ground: Ground, tool: str, arguments: dict[str, Any]) -> None:
    assert ground.call(tool, arguments).ok
