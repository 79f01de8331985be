"""What every room-scoped write leaves behind, in one place: revision, change feed, audit chain, counters, nudge.

Call it last in an operation, on the room row locked first: the counters move once, under that lock.
"""

from __future__ import annotations

from collections.abc import Iterable, Sequence
from dataclasses import dataclass
from datetime import datetime
from enum import StrEnum
from itertools import groupby
from typing import Any

from django.db.models import Model

from agentroom.core.audit import Act, chained
from agentroom.core.events import RoomEvent, publish
from agentroom.core.models import ChangeFeed, Revision
from agentroom.core.prepared import Ask
from agentroom.core.together import write_together
from identity.actors import AnyActor
from rooms.models import Room

COUNTERS = (
    "audit_seq",
    "audit_head",
    "feed_seq",
    "message_seq",
    "board_version",
    "context_version",
    "context_classes",
)


class ContextClass(StrEnum):
    """The durable classes of room context; each remembers the version it last changed at."""

    ROOM = "room"
    FOCUS = "focus"
    ROSTER = "roster"
    TASKS = "tasks"
    FILES = "files"


@dataclass(frozen=True, slots=True, kw_only=True)
class Change:
    """One changed record. `snapshot` is its whole new state, kept immutably under `revision`."""

    act: Act
    revision: int = 0
    snapshot: dict[str, Any] | None = None


def write(
    room: Room,
    actor: AnyActor,
    now: datetime,
    changes: Iterable[Change],
    *,
    context: Iterable[ContextClass] = (),
    board: bool = False,
    messages: int = 0,
    kind: str = "room",
    rows: Sequence[Model] = (),
    changed: Sequence[tuple[Model, Sequence[str]]] = (),
    along: Sequence[Ask] = (),
    ahead: Sequence[Ask] = (),
) -> list[Any]:
    """Record `changes` and move the room's counters. `room` must be locked by this transaction.

    `board` counts a stored change of the board, `messages` how many messages were appended (their numbers are
    `room.message_seq + 1 …` as loaded), `kind` names the nudge.
    `rows` are further unsaved rows that belong to the same change, `changed` further rows with the fields to save.
    `ahead` is run right before the writes and `along` right after them, in the same message; the answers to `along` are
    returned.
    """
    changes = list(changes)
    versioned = [change for change in changes if change.snapshot is not None]
    revisions, feed = _revisions(room, now, versioned), _feed(room, now, versioned)
    acts = chained(room.pk, room.audit_seq, room.audit_head, now, actor, [change.act for change in changes])
    room.audit_seq, room.audit_head = acts[-1].seq, acts[-1].hash
    room.feed_seq += len(versioned)
    room.message_seq += messages
    room.board_version += int(board)
    _move_context(room, list(context))
    inserts = [list(group) for _, group in groupby(rows, key=type)]
    read = write_together([*inserts, revisions, feed, acts], [*changed, (room, COUNTERS)], along, ahead)
    publish(RoomEvent(room.pk, kind, room.audit_seq))
    return read


def _revisions(room: Room, now: datetime, changes: list[Change]) -> list[Revision]:
    return [
        Revision(
            kind=change.act.record_kind,
            record_id=change.act.record_id,
            revision=change.revision,
            room_id=room.pk,
            data=change.snapshot,
            created_at=now,
        )
        for change in changes
    ]


def _feed(room: Room, now: datetime, changes: list[Change]) -> list[ChangeFeed]:
    return [
        ChangeFeed(
            room_id=room.pk,
            seq=room.feed_seq + number,
            kind=change.act.record_kind,
            record_id=change.act.record_id,
            revision=change.revision,
            created_at=now,
        )
        for number, change in enumerate(changes, start=1)
    ]


def _move_context(room: Room, classes: list[ContextClass]) -> None:
    if not classes:
        return
    room.context_version += 1
    room.context_classes = {**room.context_classes, **dict.fromkeys(map(str, classes), room.context_version)}
