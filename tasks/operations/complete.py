"""Closing out: status, record, letter, acks and the rings of all that it sets free, together or not at all (I-06)."""

from __future__ import annotations

from collections.abc import Sequence
from dataclasses import dataclass, field
from datetime import datetime
from typing import Literal

from agentroom.core.digest import digest_of
from agentroom.core.errors import Conflict, Validation
from agentroom.core.inputs import is_visible
from agentroom.core.operation import operation
from agentroom.core.prepared import Ask, in_one_trip
from identity.actors import AgentActor
from rooms import inbox
from rooms.ledger import Change
from rooms.models import MentionKind
from rooms.outputs import Pending
from tasks import artifacts as references
from tasks import dependencies, history, leases, moves, ringing
from tasks.access import Found, locked
from tasks.advice import next_step
from tasks.dependencies import Free
from tasks.lifecycle import Move, Status, Verb, find
from tasks.models import Task, TaskRecord
from tasks.outputs import Completion, Unblocked
from tasks.ringing import Places, Rings
from tasks.views import record_of, state_of


@dataclass(slots=True)
class Freed:
    """What a completion sets free: for the caller, for the ledger, and the rows to store with it."""

    told: list[Unblocked] = field(default_factory=list)
    changes: list[Change] = field(default_factory=list)
    changed: list[tuple[Task, Sequence[str]]] = field(default_factory=list)
    rings: Rings = field(default_factory=Rings)


@operation
def complete_task(
    actor: AgentActor,
    *,
    task_id: str,
    status: Literal["done", "blocked", "failed"],
    summary: str,
    handoff_notes: str | None = None,
    artifacts: Sequence[str] = (),
    ack_ids: Sequence[str] = (),
    next: str | None = None,
    fence: int | None = None,
    idempotency_key: str | None = None,
) -> Completion:
    """Close the task out. The only way to done; a repeat by the same holder gets the same answer."""
    _require_letter(status, handoff_notes)
    digest = digest_of([status, summary, handoff_notes, list(artifacts), next])
    found = locked(actor, task_id)
    leases.require_holder(actor, found.task, instance=actor.instance_id, fence=fence)
    move = find(found.task.status, status, Verb.COMPLETE)
    if move is None:
        return _repeated(actor, found, status, digest)
    record = TaskRecord(
        task=found.task,
        agent_id=actor.agent_id,
        instance=actor.instance_id,
        fence=found.task.fence,
        status=status,
        summary=summary,
        artifacts=references.resolved(found.room.pk, artifacts),
        next=next or "",
        handoff_notes=handoff_notes or "",
        digest=digest,
    )
    return _close(actor, found, move, record, ack_ids)


def _close(actor: AgentActor, found: Found, move: Move, record: TaskRecord, ack_ids: Sequence[str]) -> Completion:
    task, before, now = found.task, history.facts_of(found.task), found.now
    is_done = move.target == Status.DONE
    reason = {} if is_done else {"reason": record.summary}
    moved = moves.making(task, move, now, progress_at=now, **reason)
    silenced = ringing.silencing(task, now) if task.is_closed else []
    free, places = _moved(found, [moved, *silenced], is_done=is_done)
    acked = inbox.ack(actor, ack_ids, now)
    freed = _set_free(actor, found, now, free, places)
    record.created_at, record.unblocked = now, [one.wire() for one in freed.told]
    closed = history.changed(task, "complete", before, found.prerequisites, acked=acked)
    rows, changed = [record, *freed.rings.rows], [*freed.changed, *freed.rings.changed]
    along = [inbox.asking_pending(actor)]
    (waiting,) = history.keep(found.room, actor, now, [closed, *freed.changes], rows=rows, changed=changed, along=along)
    return _completion(actor, found, record, freed.told, acked, waiting)


def _moved(found: Found, moves: Sequence[Ask], *, is_done: bool) -> tuple[Free, Places]:
    """Make the move and, when the task is done, read in the same message what that sets free and whom it rings."""
    if not is_done:
        in_one_trip(*moves)
        return {}, {}
    behind = (*dependencies.asking_dependents(found.task), ringing.asking_places(found.room, found.task))
    *_, locked, edges, places = in_one_trip(*moves, *behind)
    return dependencies.set_free(locked, edges), places


def _set_free(actor: AgentActor, found: Found, now: datetime, ready: Free, places: Places) -> Freed:
    """Everything that waited for this task alone becomes ready: once per time, and rung for once."""
    freed = Freed()
    before = [history.facts_of(task) for task in ready]
    for task in ready:
        freed.changed.append((task, moves.ready_again(task, now)))
    freed.rings = ringing.ring(found.room, actor, now, list(ready), MentionKind.UNBLOCKED, places)
    for (task, prerequisites), facts in zip(ready.items(), before, strict=True):
        told = ringing.unblocked(task, freed.rings.by_task.get(task.pk))
        act = history.changed(task, "unblock", facts, prerequisites, by=found.task.pk, outcome=told.outcome)
        freed.told.append(told)
        freed.changes.append(act)
    return freed


def _repeated(actor: AgentActor, found: Found, status: str, digest: str) -> Completion:
    """The first answer again, when this is the same close-out once more. Raises `Conflict` for anything else."""
    task = found.task
    last = TaskRecord.objects.filter(task=task, fence=task.fence, status=task.status).order_by("-pk").first()
    if last is not None and status == task.status and last.digest == digest:
        freed = [Unblocked.model_validate(one) for one in last.unblocked]
        return _completion(actor, found, last, freed, [], inbox.pending(actor))
    raise Conflict(f"This task is {task.status}{_instead(task)}", task_status=task.status)


def _completion(
    actor: AgentActor, found: Found, record: TaskRecord, freed: list[Unblocked], acked: list[str], waiting: Pending
) -> Completion:
    return Completion(
        task=state_of(found.task, found.prerequisites, actor),
        record=record_of(record, actor.plate),
        unblocked=freed,
        acked=acked or None,
        pending=waiting,
    )


def _require_letter(status: str, handoff_notes: str | None) -> None:
    if status == Status.DONE and not is_visible(handoff_notes or ""):
        raise Validation(
            "done needs handoff_notes: what you did, what is left, where the artifacts are. The next agent reads "
            "them first. Nothing was changed.",
            fields={"handoff_notes": "required for done, with visible text"},
        )


def _instead(task: Task) -> str:
    if task.status == Status.DONE:
        return f" already, with another close-out. {next_step(task)}"
    return f", so it cannot be closed out. {next_step(task)}"
