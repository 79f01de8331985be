"""The waiting line of nudges: bounded, each nudge once, first in first out."""

from __future__ import annotations

from agentroom.core.nudges import Nudges


def names(nudges: Nudges) -> list[str]:
    taken = []
    while (nudge := nudges.take(0)) is not None:
        taken.append(nudge[0])
    return taken


def test_a_nudge_already_waiting_waits_once():
    nudges = Nudges()
    for _ in range(3):
        nudges.put(("rooms.deliver", ("r1",)))
    nudges.put(("rooms.deliver", ("r2",)))
    assert len(nudges) == 2


def test_nudges_leave_in_the_order_they_came():
    nudges = Nudges()
    for name in ("a", "b", "a", "c"):
        nudges.put((name, ()))
    assert names(nudges) == ["a", "b", "c"]


def test_a_nudge_taken_out_may_wait_again_while_it_runs():
    nudges = Nudges()
    nudges.put(("a", ()))
    assert nudges.take(0) == ("a", ())
    nudges.put(("a", ()))
    assert names(nudges) == ["a"]


def test_what_does_not_fit_is_dropped_and_counted():
    nudges = Nudges(most=3)
    for number in range(5):
        nudges.put(("a", (number,)))
    assert (len(nudges), nudges.dropped) == (3, 2)


def test_an_empty_line_gives_nothing():
    assert Nudges().take(0) is None
