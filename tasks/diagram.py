"""The page on the life of a task, made from the table: `python -m tasks.diagram > docs/task-lifecycle.md`."""

from __future__ import annotations

import sys

from tasks.lifecycle import FINAL, MOVES, Move, Status

HEAD = """# The life of a task

Made from `tasks/lifecycle.py` by `python -m tasks.diagram`; a test compares them. The database refuses every other
change of status by a trigger made from the same table.
"""
WORDS = """
*Holder*: the assignee's instance that took the lock at the present fence. *Owner*: the person who owns the assignee.
*Human*: a person who may administer the room. *Pool*: any agent of the room, while nobody is assigned.
A fence moves on where the table says so, by one: writes made under an earlier one change nothing (`STALE_LEASE`).
"""


def page() -> str:
    """The whole page."""
    return f"{HEAD}\n{_diagram()}\n{_table()}{WORDS}"


def _diagram() -> str:
    lines = ["```mermaid", "stateDiagram-v2", f"    [*] --> {Status.TODO}: create_task"]
    arrows: dict[tuple[Status, Status], list[str]] = {}
    for move in MOVES:
        verbs = arrows.setdefault((move.source, move.target), [])
        if move.verb not in verbs:
            verbs.append(move.verb)
    lines += [f"    {source} --> {target}: {', '.join(verbs)}" for (source, target), verbs in arrows.items()]
    lines += [f"    {status} --> [*]" for status in sorted(FINAL)]
    return "\n".join([*lines, "```", ""])


def _table() -> str:
    rows = ["| from | to | by the verb | who | reason | fence |", "|---|---|---|---|---|---|"]
    return "\n".join([*rows, *(_row(move) for move in MOVES), ""])


def _row(move: Move) -> str:
    who = ", ".join(sorted(move.who))
    reason, fence = "required" if move.needs_reason else "", "+ 1" if move.bumps_fence else ""
    return f"| {move.source} | {move.target} | {move.verb} | {who} | {reason} | {fence} |"


if __name__ == "__main__":
    sys.stdout.write(page())
