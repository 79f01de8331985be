"""What a change of tasks leaves behind: a revision of each, the feed, the audit chain, the room's counters."""

from __future__ import annotations

from collections.abc import Iterable, Sequence
from datetime import datetime
from typing import Any

from django.db.models import Model

from agentroom.core.audit import Act
from agentroom.core.clock import rfc3339
from agentroom.core.prepared import Ask
from identity.actors import AnyActor
from rooms import ledger
from rooms.ledger import Change, ContextClass
from rooms.models import Room
from tasks.dependencies import Prerequisite
from tasks.models import Task

KIND = "task"
Facts = dict[str, Any]


def facts_of(task: Task) -> Facts:
    """What audit compares: states and ids, no content."""
    return {
        "status": task.status,
        "assignee": task.assignee_id,
        "fence": task.fence,
        "holder": task.holder_instance,
        "archived": task.archived_at is not None,
    }


def changed(task: Task, act: str, before: Facts, prerequisites: Iterable[Prerequisite], **named: Any) -> Change:
    """The change of `task` since `before`; `named` are further audited facts: names of edited fields, ids of others."""
    after = facts_of(task)
    moved = [name for name, value in after.items() if before.get(name) != value]
    return Change(
        act=Act(
            act=f"{KIND}.{act}",
            record_kind=KIND,
            record_id=task.pk,
            before={name: before[name] for name in moved if name in before},
            after={**{name: after[name] for name in moved}, **named},
        ),
        revision=task.revision,
        snapshot=_snapshot(task, prerequisites),
    )


def keep(
    room: Room,
    actor: AnyActor,
    now: datetime,
    changes: Iterable[Change],
    *,
    rows: Sequence[Model] = (),
    changed: Sequence[tuple[Model, Sequence[str]]] = (),
    along: Sequence[Ask] = (),
    ahead: Sequence[Ask] = (),
) -> list[Any]:
    """Write it all, last in the operation: the board and everybody's task context have moved on.

    `ahead` is run right before it and `along` right after it; the answers to `along` are returned.
    """
    return ledger.write(
        room,
        actor,
        now,
        changes,
        context=(ContextClass.TASKS,),
        board=True,
        kind=KIND,
        rows=rows,
        changed=changed,
        along=along,
        ahead=ahead,
    )


def _snapshot(task: Task, prerequisites: Iterable[Prerequisite]) -> dict[str, Any]:
    return {
        "title": task.title,
        "definition_of_done": task.definition_of_done,
        "detail": task.detail,
        "spec_ref": task.spec_ref,
        "order": task.order,
        "status": task.status,
        "reason": task.reason,
        "assignee": task.assignee_id,
        "consent": task.consent,
        "lock_policy": task.lock_policy,
        "deadline": _instant(task.deadline),
        "fence": task.fence,
        "attempt": task.attempt,
        "holder": task.holder_instance,
        "locked_at": _instant(task.locked_at),
        "depends_on": [prerequisite.task_id for prerequisite in prerequisites],
        "finished_at": _instant(task.finished_at),
        "archived_at": _instant(task.archived_at),
        "updated_at": _instant(task.updated_at),
    }


def _instant(at: datetime | None) -> str | None:
    return None if at is None else rfc3339(at)
