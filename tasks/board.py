"""The board as stored: every lane and what was finished last, in one statement however many tasks there are (I-09).

One statement is also one snapshot: the version, the tasks and what each waits for never contradict one another.
"""

from __future__ import annotations

from collections import defaultdict
from collections.abc import Sequence
from dataclasses import dataclass, field
from datetime import UTC, datetime
from operator import itemgetter
from typing import Any

from django.db.models import FilteredRelation, Max, Q

from agentroom.core.clock import DbNow
from agentroom.core.limits import NO_PROGRESS, STALE_TODO
from identity.actors import Actor
from rooms.access import rooms_of
from rooms.models import AgentMember
from tasks.dependencies import Prerequisite, unmet
from tasks.lifecycle import CLOSED, IN_LANES, Status
from tasks.models import Task
from tasks.projection import Contact, Staleness, is_claimable, staleness

FINISHED = (Status.DONE.value, Status.CANCELLED.value)
FINISHED_SHOWN = 20

_FIELDS = (
    "pk",
    "title",
    "status",
    "order",
    "reason",
    "fence",
    "revision",
    "consent",
    "assignee_id",
    "assignee__plate",
    "assignee__name",
    "assignee__owner__handle",
    "holder_instance",
    "locked_at",
    "lease_expires_at",
    "progress_at",
    "assigned_at",
    "finished_at",
)
_TIMED = ("pk", "status", "assignee_id", "lease_expires_at", "progress_at", "assigned_at")
_EDGE = ("dependencies__position", "dependencies__prerequisite_id", "dependencies__prerequisite__status")
_CARD = (*_FIELDS, *_EDGE)
NO_CARD = Q(tasks__pk="")


@dataclass(slots=True)
class Card:
    """One task as every board shows it."""

    task_id: str
    title: str
    status: str
    order: int
    reason: str
    fence: int
    revision: int
    consent: str
    assignee_id: str | None
    plate: str | None
    agent_name: str | None
    owner_handle: str | None
    holder_instance: str
    locked_at: datetime | None
    lease_expires_at: datetime | None
    progress_at: datetime | None
    assigned_at: datetime | None
    finished_at: datetime | None
    waits_for: list[Prerequisite] = field(default_factory=list)
    stale: Staleness | None = None

    @property
    def is_claimable(self) -> bool:
        return is_claimable(self.status, is_blocked=bool(self.waits_for))

    @property
    def finished(self) -> tuple[datetime, str]:
        """Where the card stands in the done view."""
        return (self.finished_at or datetime.max.replace(tzinfo=UTC), self.task_id)

    @property
    def place(self) -> tuple[str, int, str]:
        """Where the card stands on the board: the pool first, then lane after lane."""
        return (self.plate or "", self.order, self.task_id)


@dataclass(frozen=True, slots=True)
class Board:
    """`lanes` by their places, `finished` newest first; `now` is the clock that `stale` was judged by."""

    version: int
    now: datetime
    lanes: list[Card]
    finished: list[Card]
    has_older: bool


@dataclass(frozen=True, slots=True)
class Late:
    """The members of a task that time acts on."""

    task_id: str
    status: str
    assignee_id: str | None
    lease_expires_at: datetime | None
    progress_at: datetime | None
    assigned_at: datetime | None


@dataclass(frozen=True, slots=True)
class Glance:
    """The board's version, and the tasks that time alone has made stale."""

    version: int
    stale: dict[str, Staleness]


def board_of(actor: Actor, room_id: str, *, plate: str | None = None) -> Board | None:
    """The board of a room the caller is in; None when there is no such room. `plate` narrows what was finished."""
    lanes = _rows(actor, room_id, Q(tasks__archived_at=None, tasks__status__in=sorted(IN_LANES)), _CARD)
    # Joined, not one condition with OR: each half has an index of its own, and history costs the board nothing.
    return _board(room_id, list(lanes.union(_page(actor, room_id, _finished(room_id, FINISHED, plate)), all=True)))


def finished_before(
    actor: Actor,
    room_id: str,
    before: tuple[datetime, str] | None,
    *,
    statuses: Sequence[str] = FINISHED,
    plate: str | None = None,
) -> Board | None:
    """A board of nothing but what was finished behind (`finished_at`, id) `before`, newest first."""
    page = _finished(room_id, statuses, plate)
    if before is not None:
        at, task_id = before
        page = page.filter(Q(finished_at__lt=at) | Q(finished_at=at, pk__lt=task_id))
    room_alone = _rows(actor, room_id, NO_CARD, _CARD)
    return _board(room_id, list(room_alone.union(_page(actor, room_id, page), all=True)))


def glance_at(actor: Actor, room_id: str) -> Glance | None:
    """What a reader who has the present version still has to be told, in one statement while nothing is late."""
    ended = Q(tasks__lease_expires_at__lte=DbNow()) | Q(tasks__progress_at__lte=DbNow(NO_PROGRESS))
    waiting = Q(tasks__assignee__isnull=False, tasks__assigned_at__lte=DbNow(STALE_TODO))
    late = (Q(tasks__status=Status.DOING) & ended) | (Q(tasks__status=Status.TODO) & waiting)
    rows = list(_rows(actor, room_id, Q(tasks__archived_at=None) & late, _TIMED))
    if not rows:
        return None
    version, now = rows[0][:2]
    tasks = [Late(*row[2:]) for row in rows if row[2] is not None]
    contacts = contacts_in(room_id) if tasks else {}
    judged = {task.task_id: staleness(task, now, contacts.get(task.assignee_id or "", Contact())) for task in tasks}
    return Glance(version, {task_id: stale for task_id, stale in judged.items() if stale is not None})


def contacts_in(room_id: str) -> dict[str, Contact]:
    """The last signs of life of each agent of the room."""
    rows = AgentMember.objects.filter(room_id=room_id).annotate(seen=Max("agent__instances__last_seen_at"))
    return {agent: Contact(seen, spoke) for agent, seen, spoke in rows.values_list("agent_id", "seen", "last_spoke_at")}


def _finished(room_id: str, statuses: Sequence[str], plate: str | None) -> Any:
    finished = Task.objects.filter(room_id=room_id, archived_at=None, finished_at__isnull=False, status__in=statuses)
    if plate is not None:
        finished = finished.filter(assignee__plate=plate)
    return finished.order_by("-finished_at", "-pk").values("pk")


def _page(actor: Actor, room_id: str, finished: Any) -> Any:
    """One row per card and edge of the first of these tasks, and of one more that tells whether there are others."""
    rooms: Any = rooms_of(actor).filter(pk=room_id, tasks__pk__in=finished[: FINISHED_SHOWN + 1])
    return rooms.annotate(now=DbNow()).values_list("board_version", "now", *(f"tasks__{name}" for name in _CARD))


def _rows(actor: Actor, room_id: str, condition: Q, fields: tuple[str, ...]) -> Any:
    """One row per card and edge; at least one for a room the caller is in."""
    rooms: Any = rooms_of(actor).filter(pk=room_id)
    rooms = rooms.annotate(now=DbNow(), card=FilteredRelation("tasks", condition=condition))
    return rooms.values_list("board_version", "now", *(f"card__{name}" for name in fields))


def _board(room_id: str, rows: list[tuple[Any, ...]]) -> Board | None:
    if not rows:
        return None
    version, now = rows[0][:2]
    cards = _cards(rows)
    _judge(room_id, cards, now)
    finished = sorted((card for card in cards if card.status in FINISHED), key=lambda card: card.finished, reverse=True)
    return Board(
        version,
        now,
        lanes=sorted((card for card in cards if card.status not in FINISHED), key=lambda card: card.place),
        finished=finished[:FINISHED_SHOWN],
        has_older=len(finished) > FINISHED_SHOWN,
    )


def _cards(rows: list[tuple[Any, ...]]) -> list[Card]:
    cards: dict[str, Card] = {}
    edges: dict[str, list[tuple[int, Prerequisite]]] = defaultdict(list)
    for _, _, task_id, *row in rows:
        if task_id is None:
            continue
        *stored, position, prerequisite_id, status = row
        if task_id not in cards:
            cards[task_id] = Card(task_id, *stored)
        if prerequisite_id is not None and cards[task_id].status not in CLOSED:
            edges[task_id].append((position, Prerequisite(prerequisite_id, status)))
    for task_id, found in edges.items():
        cards[task_id].waits_for = unmet(edge for _, edge in sorted(found, key=itemgetter(0)))
    return list(cards.values())


def _judge(room_id: str, cards: list[Card], now: datetime) -> None:
    """Mark what is stale. Contacts are asked for only when some card might be."""
    suspects = [card for card in cards if staleness(card, now) is not None]
    contacts = contacts_in(room_id) if suspects else {}
    for card in suspects:
        card.stale = staleness(card, now, contacts.get(card.assignee_id or "", Contact()))
