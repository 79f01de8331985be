"""THE table: states, legal moves, who may make them and by which verb (00-product.md, "Task statuses").

CHECK constraints, the guard of every move, the board's menus and the diagram in docs/ come from here.
"""

from __future__ import annotations

from dataclasses import dataclass
from enum import StrEnum


class Status(StrEnum):
    TODO = "todo"
    DOING = "doing"
    BLOCKED = "blocked"
    DONE = "done"
    FAILED = "failed"
    CANCELLED = "cancelled"


class Who(StrEnum):
    """Standing towards one task. A person counts as `human` when they may administer the room."""

    ASSIGNEE = "assignee"  # the agent it is locked to
    HOLDER = "holder"  # the assignee's instance that holds it at the current fence
    POOL = "pool"  # any member agent, while nobody is assigned
    CREATOR = "creator"
    OWNER = "owner"  # the person who owns the assignee
    HUMAN = "human"


class Verb(StrEnum):
    CLAIM = "claim_task"
    RECEIPT = "running receipt"
    COMPLETE = "complete_task"
    SET_STATUS = "set_status"
    RELEASE = "release_task"
    FORCE_RELEASE = "force-release"
    REASSIGN = "reassign"


@dataclass(frozen=True, slots=True)
class Move:
    """One arrow. `bumps_fence`: a lock is taken, given up or handed on, so older holders' writes are stale."""

    source: Status
    target: Status
    verb: Verb
    who: frozenset[Who]
    needs_reason: bool = False
    bumps_fence: bool = False


def _move(source: Status, target: Status, verb: Verb, *who: Who, **flags: bool) -> Move:
    return Move(source, target, verb, frozenset(who), **flags)


S, V, W = Status, Verb, Who

MOVES: tuple[Move, ...] = (
    _move(S.TODO, S.DOING, V.CLAIM, W.ASSIGNEE, W.POOL, bumps_fence=True),
    _move(S.TODO, S.DOING, V.RECEIPT, W.ASSIGNEE, bumps_fence=True),
    _move(S.DOING, S.DONE, V.COMPLETE, W.HOLDER),
    _move(S.DOING, S.BLOCKED, V.COMPLETE, W.HOLDER),
    _move(S.DOING, S.FAILED, V.COMPLETE, W.HOLDER),
    _move(S.DOING, S.BLOCKED, V.SET_STATUS, W.HOLDER, needs_reason=True),
    _move(S.DOING, S.FAILED, V.SET_STATUS, W.HOLDER, needs_reason=True),
    _move(S.BLOCKED, S.FAILED, V.SET_STATUS, W.ASSIGNEE, needs_reason=True),
    _move(S.DOING, S.CANCELLED, V.SET_STATUS, W.HOLDER, W.CREATOR, W.HUMAN),
    _move(S.TODO, S.CANCELLED, V.SET_STATUS, W.ASSIGNEE, W.CREATOR, W.HUMAN),
    _move(S.BLOCKED, S.CANCELLED, V.SET_STATUS, W.ASSIGNEE, W.CREATOR, W.HUMAN),
    _move(S.TODO, S.BLOCKED, V.SET_STATUS, W.ASSIGNEE, needs_reason=True),
    _move(S.BLOCKED, S.DOING, V.SET_STATUS, W.HOLDER),
    _move(S.DOING, S.TODO, V.RELEASE, W.HOLDER, bumps_fence=True),
    _move(S.DOING, S.TODO, V.SET_STATUS, W.HOLDER, bumps_fence=True),
    _move(S.DOING, S.TODO, V.FORCE_RELEASE, W.HUMAN, W.OWNER, bumps_fence=True),
    _move(S.BLOCKED, S.TODO, V.SET_STATUS, W.ASSIGNEE, W.OWNER, W.HUMAN, bumps_fence=True),
    _move(S.FAILED, S.TODO, V.SET_STATUS, W.ASSIGNEE, W.OWNER, W.HUMAN),
    _move(S.CANCELLED, S.TODO, V.SET_STATUS, W.OWNER, W.HUMAN),
    _move(S.TODO, S.TODO, V.REASSIGN, W.HUMAN, bumps_fence=True),
    _move(S.DOING, S.TODO, V.REASSIGN, W.HUMAN, bumps_fence=True),
    _move(S.BLOCKED, S.TODO, V.REASSIGN, W.HUMAN, bumps_fence=True),
    _move(S.FAILED, S.TODO, V.REASSIGN, W.HUMAN, bumps_fence=True),
)

FINAL = frozenset({Status.DONE})
CLOSED = frozenset({Status.DONE, Status.FAILED, Status.CANCELLED})
HELD = frozenset({Status.DOING, Status.BLOCKED})  # a holder instance may be recorded in these only
IN_LANES = frozenset({Status.TODO, Status.DOING, Status.BLOCKED, Status.FAILED})  # the others stand in the done view
WAITING = frozenset({Status.TODO, Status.BLOCKED})  # a prerequisite's end is news to these
OPEN = HELD | WAITING  # somebody is still to end these

_ARROWS = {(move.source.value, move.target.value, move.verb): move for move in MOVES}


def find(source: str, target: str, verb: Verb) -> Move | None:
    """The arrow of this verb, or None when there is none."""
    return _ARROWS.get((source, target, verb))


def arrow(source: str, target: str, verb: Verb) -> Move:
    """The arrow of this verb, for who has made sure that there is one."""
    return _ARROWS[source, target, verb]


def targets(source: str, verb: Verb) -> list[Status]:
    """Where `verb` can lead from `source`, in table order."""
    return [move.target for move in MOVES if move.source == source and move.verb == verb]


def arrows() -> list[tuple[Status, Status]]:
    """Every change of status that some verb makes, in table order: what the database lets pass."""
    return list(dict.fromkeys((move.source, move.target) for move in MOVES if move.source != move.target))
