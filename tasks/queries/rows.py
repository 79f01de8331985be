"""Cards of the board as rows of an answer: as few bytes as tell a reader whether to look closer."""

from __future__ import annotations

from collections.abc import Iterable, Sequence
from itertools import groupby

from pydantic import TypeAdapter

from agentroom.core.limits import RESULT_BYTES
from identity.actors import Actor, AgentActor
from identity.names import handle_of
from tasks.board import Card
from tasks.lifecycle import Status
from tasks.models import TaskRecord
from tasks.outputs import Lane, Row, Rows
from tasks.projection import is_claimable

# What stands around the rows: versions, cursors, the heads of lanes.
FRAME_BYTES = 2048
ENDED_BADLY = (Status.FAILED, Status.CANCELLED)
REPORTED = ("task_id", "summary", "artifacts")


def open_rows(cards: Iterable[Card], actor: Actor) -> list[Row]:
    """Tasks that are still to be worked on, with what this caller may need to do so."""
    agent_id = actor.agent_id if isinstance(actor, AgentActor) else None
    rows = []
    for card in cards:
        row = _row(card)
        if is_claimable(card, agent_id, is_blocked=bool(card.waits_for)):
            row["claimable"] = True
        if card.fence:
            row["fence"] = card.fence
        rows.append(row)
    return rows


def done_rows(cards: Sequence[Card]) -> list[Row]:
    """Finished tasks with what was reported of them."""
    reported = _reported([card.task_id for card in cards if card.status == Status.DONE])
    rows = []
    for card in cards:
        row = _row(card)
        summary, artifacts = reported.get(card.task_id, (None, None))
        if summary is not None:
            row["summary"] = summary
        if artifacts:
            row["artifacts"] = artifacts
        if card.plate is not None:
            row["assignee"] = card.plate
        if card.finished_at is not None:
            row["finished_at"] = card.finished_at
        rows.append(row)
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


def fitting(rows: list[Row]) -> int:
    """How many of the rows fit under the cap of an answer; the first one always."""
    budget = RESULT_BYTES - FRAME_BYTES
    if len(_ROWS.dump_json(rows)) <= budget:
        return len(rows)
    kept = 0
    for row in rows:
        budget -= len(_ROWS.dump_json([row]))
        if budget < 0 and kept:
            break
        kept += 1
    return kept


_ROWS = TypeAdapter(Rows)


def _reported(task_ids: Sequence[str]) -> dict[str, tuple[str, list[str]]]:
    """The summary and the artifacts of each of these done tasks."""
    if not task_ids:
        return {}
    records = TaskRecord.objects.filter(task_id__in=task_ids, status=Status.DONE)
    return {task_id: (summary, found) for task_id, summary, found in records.values_list(*REPORTED)}


def _row(card: Card) -> Row:
    row: Row = {"task_id": card.task_id, "title": card.title, "status": card.status}
    if card.waits_for:
        row["blocked_by"] = [one.task_id for one in card.waits_for]
        # An id alone says "not yet"; a state is worth its bytes where waiting alone will not help.
        if hopeless := {one.task_id: one.status for one in card.waits_for if one.status in ENDED_BADLY}:
            row["states"] = hopeless
    if card.reason:
        row["reason"] = card.reason
    if card.stale:
        row |= {"stale": True, "stale_reason": card.stale.reason, "stale_since": card.stale.since}
    return row
