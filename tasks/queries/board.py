"""`read_board`: the lanes and the done view, page by page, or word that nothing has changed."""

from __future__ import annotations

from datetime import datetime
from typing import NoReturn

from agentroom.core.errors import NotFound, Validation
from identity.actors import Actor
from rooms.access import standing_in
from tasks import board
from tasks.board import Board, Card, Glance
from tasks.board_rows import FINISHED
from tasks.outputs import BoardPage
from tasks.queries import rows
from tasks.queries.task import task_in

POOL = "pool"
DONE = "done"


def read_board(
    actor: Actor,
    *,
    room: str,
    assignee: str | None = None,
    status: str | None = None,
    since_version: int | None = None,
    task_id: str | None = None,
    after: str | None = None,
) -> BoardPage:
    """The board of a room, or that it has not changed since a version, or one task whole."""
    if task_id is not None:
        return BoardPage(task=task_in(actor, room, task_id))
    if since_version is not None:
        glance = board.glance_at(actor, room)
        if glance is not None and glance.version == since_version:
            return _unchanged(glance)
    if status in FINISHED or (after or "").startswith(f"{DONE}."):
        return _finished(actor, room, assignee, status, after)
    return _open(actor, room, assignee, status, after)


def _unchanged(glance: Glance) -> BoardPage:
    """Time alone sets these flags: who has the version needs no more than the tasks that are late."""
    flags = {task_id: ["stale"] for task_id in glance.stale}
    return BoardPage(board_version=glance.version, not_modified=True, time_flags=flags or None)


def _open(actor: Actor, room: str, assignee: str | None, status: str | None, after: str | None) -> BoardPage:
    found = board.board_of(actor, room, plate=assignee) or _refuse(actor, room)
    behind = None if after is None else _place_of(after)
    cards = [card for card in found.lanes if behind is None or card.place > behind]
    cards = [card for card in cards if assignee in {None, card.plate} and status in {None, card.status}]
    ended = found.finished if status is None else []
    open_rows, done_rows = rows.open_rows(cards, actor), rows.done_rows(ended)
    kept = rows.fitting([*open_rows, *done_rows])
    kept_open, kept_done = min(kept, len(cards)), max(0, kept - len(cards))
    has_older = kept_done < len(ended) or (found.has_older and status is None)
    return BoardPage(
        board_version=found.version,
        lanes=rows.lanes(cards[:kept_open], open_rows[:kept_open]),
        done=done_rows[:kept_done],
        truncated=True if kept < len(cards) + len(ended) else None,
        next=_place_cursor(cards[kept_open - 1]) if kept_open < len(cards) else None,
        done_next=_end_cursor(ended[kept_done - 1]) if kept_done and has_older else None,
    )


def _finished(actor: Actor, room: str, assignee: str | None, status: str | None, after: str | None) -> BoardPage:
    statuses = FINISHED if status is None else (status,)
    behind = None if after is None else _end_of(after)
    found = board.finished_before(actor, room, behind, statuses=statuses, plate=assignee) or _refuse(actor, room)
    done_rows = rows.done_rows(found.finished)
    kept = rows.fitting(done_rows)
    has_more = kept < len(done_rows) or found.has_older
    return BoardPage(
        board_version=found.version,
        done=done_rows[:kept],
        truncated=True if has_more else None,
        done_next=_end_cursor(found.finished[kept - 1]) if has_more else None,
    )


def _refuse(actor: Actor, room: str) -> Board:
    """Say why there is no board: access knows who was a member once."""
    standing_in(actor, room)
    raise NotFound("No such room, or you are not in it. `list_rooms` shows the rooms you belong to.")


def _place_cursor(card: Card) -> str:
    return f"{card.plate or POOL}.{card.order}.{card.task_id}"


def _end_cursor(card: Card) -> str:
    return f"{DONE}.{card.finished[0].isoformat()}.{card.task_id}"


def _place_of(cursor: str) -> tuple[str, int, str]:
    plate, _, rest = cursor.partition(".")
    order, _, task_id = rest.partition(".")
    try:
        return ("" if plate == POOL else plate, int(order), task_id)
    except ValueError:
        _refuse_cursor()


def _end_of(cursor: str) -> tuple[datetime, str]:
    stamp, _, task_id = cursor.removeprefix(f"{DONE}.").rpartition(".")
    try:
        at = datetime.fromisoformat(stamp)
    except ValueError:
        _refuse_cursor()
    return (at, task_id) if at.tzinfo is not None else _refuse_cursor()


def _refuse_cursor() -> NoReturn:
    problem = "not the `next` or `done_next` of an earlier page"
    raise Validation(f"after is {problem}.", fields={"after": problem})
