"""Stored state and the clock → what a reader is shown. Pure, and the only place that computes it (I-04, I-09)."""

from __future__ import annotations

from collections.abc import Iterable
from dataclasses import dataclass
from datetime import datetime
from enum import StrEnum
from operator import itemgetter
from typing import Protocol

from agentroom.core.limits import INSTANCE_LIVE, NO_PROGRESS, STALE_TODO
from tasks.lifecycle import OPEN, Status


class Reason(StrEnum):
    """Why a task is stale, in the words of the wire."""

    LEASE_ENDED = "lease_ended"
    NO_PROGRESS = "no_progress"
    NO_LIVE_INSTANCE = "no_live_instance"
    ASSIGNEE_LEFT = "assignee_left"


@dataclass(frozen=True, slots=True)
class Staleness:
    reason: Reason
    since: datetime


@dataclass(frozen=True, slots=True)
class Contact:
    """The last signs of life of a task's assignee in this room: any call, and a message or file of its own.

    `left_at`: it is out of the room, revoked or taken out or gone with its owner, and nobody will come for its work.
    """

    seen_at: datetime | None = None
    spoke_at: datetime | None = None
    left_at: datetime | None = None


class Claimed(Protocol):
    """The stored members that say for whom a task is: a `Task`, or a row of the board."""

    @property
    def status(self) -> str: ...
    @property
    def assignee_id(self) -> str | None: ...


class Timed(Claimed, Protocol):
    """The stored members that time acts on."""

    @property
    def lease_expires_at(self) -> datetime | None: ...
    @property
    def progress_at(self) -> datetime | None: ...
    @property
    def ready_since(self) -> datetime | None: ...


NOBODY = Contact()


def staleness(task: Timed, now: datetime, contact: Contact = NOBODY) -> Staleness | None:
    """Whether a person should look, why, and since when. The earliest reason speaks, so an episode keeps its name.

    That its agent has left outranks the others: it alone says that waiting will not help. Otherwise a contact can only
    take a reason away: without one, this tells which tasks are worth asking about.
    """
    if contact.left_at is not None and task.assignee_id is not None and task.status in OPEN:
        return Staleness(Reason.ASSIGNEE_LEFT, contact.left_at)
    due = [(since, reason) for since, reason in _reasons(task, contact) if since <= now]
    if not due:
        return None
    since, reason = min(due, key=itemgetter(0))
    return Staleness(reason, since)


def is_claimable(task: Claimed, agent_id: str | None, *, is_blocked: bool) -> bool:
    """Whether this agent could claim the task now (docs/decisions/005). A person has no `agent_id` and claims none."""
    is_for_it = agent_id is not None and task.assignee_id in {None, agent_id}
    return is_for_it and task.status == Status.TODO and not is_blocked


def _reasons(task: Timed, contact: Contact) -> Iterable[tuple[datetime, Reason]]:
    """From when on each reason holds. Asked of every task of a board at once, so it makes no objects."""
    if task.status == Status.DOING:
        if task.lease_expires_at is not None:
            yield task.lease_expires_at, Reason.LEASE_ENDED
        progress = _latest(task.progress_at, contact.spoke_at)
        if progress is not None:
            yield progress + NO_PROGRESS, Reason.NO_PROGRESS
    elif task.status == Status.TODO and task.assignee_id is not None and task.ready_since is not None:
        waiting = task.ready_since + STALE_TODO
        gone = None if contact.seen_at is None else contact.seen_at + INSTANCE_LIVE
        yield waiting if gone is None else max(waiting, gone), Reason.NO_LIVE_INSTANCE


def _latest(*instants: datetime | None) -> datetime | None:
    return max((instant for instant in instants if instant is not None), default=None)
