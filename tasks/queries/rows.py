"""Cards of the board as rows of an answer: as few bytes as tell a reader whether to look closer."""

from __future__ import annotations

from collections.abc import Iterable, Sequence
from itertools import groupby
from typing import Any

from agentroom.core.limits import RESULT_BYTES
from identity.actors import Actor, AgentActor
from identity.names import handle_of
from tasks.board import Card
from tasks.lifecycle import Status
from tasks.models import TaskRecord
from tasks.outputs import Lane, Row
from tasks.projection import is_claimable

# What stands around the rows: versions, cursors, the heads of lanes.
FRAME_BYTES = 2048
ENDED_BADLY = (Status.FAILED, Status.CANCELLED)


def open_rows(cards: Iterable[Card], actor: Actor) -> list[Row]:
    """Tasks that are still to be worked on, with what this caller may need to do so."""
    agent_id = actor.agent_id if isinstance(actor, AgentActor) else None
    return [
        _row(
            card,
            claimable=is_claimable(card, agent_id, is_blocked=bool(card.waits_for)) or None,
            fence=card.fence or None,
        )
        for card in cards
    ]


def done_rows(cards: Sequence[Card]) -> list[Row]:
    """Finished tasks with what was reported of them."""
    done = [card.task_id for card in cards if card.status == Status.DONE]
    records = TaskRecord.objects.filter(task_id__in=done, status=Status.DONE) if done else TaskRecord.objects.none()
    reported = {task_id: rest for task_id, *rest in records.values_list("task_id", "summary", "artifacts")}
    rows = []
    for card in cards:
        summary, artifacts = reported.get(card.task_id, (None, None))
        more = {"summary": summary, "artifacts": artifacts or None, "assignee": card.plate}
        rows.append(_row(card, **more, finished_at=card.finished_at))
    return rows


def lanes(cards: Sequence[Card], rows: Sequence[Row]) -> list[Lane]:
    """The rows by lane; both sequences stand in the order of the board."""
    found = []
    for plate, group in groupby(zip(cards, rows, strict=True), key=lambda pair: pair[0].plate):
        pairs = list(group)
        card = pairs[0][0]
        alias = f"@{handle_of(card.agent_name or '')}({card.owner_handle})" if plate else None
        found.append(Lane(assignee=plate, agent=alias, tasks=[row for _, row in pairs]))
    return found


def fitting(rows: Iterable[Row]) -> int:
    """How many of the rows fit under the cap of an answer; the first one always."""
    budget, kept = RESULT_BYTES - FRAME_BYTES, 0
    for row in rows:
        budget -= len(row.model_dump_json(exclude_none=True).encode()) + 1
        if budget < 0 and kept:
            break
        kept += 1
    return kept


def _row(card: Card, **more: Any) -> Row:
    # An id alone says "not yet"; a state is worth its bytes where waiting alone will not help.
    hopeless = {one.task_id: one.status for one in card.waits_for if one.status in ENDED_BADLY}
    return Row(
        task_id=card.task_id,
        title=card.title,
        status=card.status,
        blocked_by=[one.task_id for one in card.waits_for] or None,
        states=hopeless or None,
        reason=card.reason or None,
        stale=True if card.stale else None,
        stale_reason=card.stale.reason if card.stale else None,
        stale_since=card.stale.since if card.stale else None,
        **more,
    )
