"""Noting the beginning and the end of stale episodes, once each (I-04). It changes no task: people decide."""

from __future__ import annotations

from collections.abc import Sequence
from datetime import datetime

from agentroom.core.audit import Act
from agentroom.core.clock import db_now, rfc3339
from agentroom.core.operation import operation
from identity.actors import SystemActor
from rooms import ledger
from rooms.access import locked_rooms
from rooms.ledger import Change
from tasks import history
from tasks.board import contacts_in
from tasks.models import Task
from tasks.outputs import Noticed
from tasks.projection import Contact, Staleness, staleness


@operation
def notice_stale(actor: SystemActor, *, room_id: str, task_ids: Sequence[str]) -> Noticed:
    """Leave one audit row per episode of these tasks that began or ended, and nudge whoever watches the board."""
    rooms = locked_rooms(pk=room_id)
    now, contacts = db_now(), contacts_in(room_id)
    changes = []
    for task in Task.objects.filter(room_id=room_id, pk__in=task_ids).order_by("pk"):
        stale = staleness(task, now, contacts.get(task.assignee_id or "", Contact()))
        if task.stale_noticed != (stale.since if stale else None):
            changes.append(_noted(task, stale))
    for room in rooms if changes else []:
        ledger.write(room, actor, now, changes, kind=history.KIND)
    return Noticed(tasks=len(changes))


def _noted(task: Task, stale: Staleness | None) -> Change:
    since = stale.since if stale else None
    before, task.stale_noticed = task.stale_noticed, since
    # Not a revision: nothing of the task has changed but how long it has been left alone.
    Task.objects.filter(pk=task.pk).update(stale_noticed=since)
    return Change(
        act=Act(
            act="task.stale" if stale else "task.stale_over",
            record_kind=history.KIND,
            record_id=task.pk,
            before=_since(before),
            after={**_since(since), **({"reason": stale.reason.value} if stale else {})},
        )
    )


def _since(at: datetime | None) -> dict[str, str]:
    return {} if at is None else {"since": rfc3339(at)}
