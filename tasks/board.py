"""The board as stored: every lane and what was finished last, in one statement however many tasks there are (I-09).

One statement is also one snapshot: the version, the tasks and what each waits for never contradict one another.
"""

from __future__ import annotations

from collections import defaultdict
from collections.abc import Sequence
from dataclasses import dataclass, field
from datetime import UTC, datetime
from operator import attrgetter, itemgetter

from django.db.models import Max

from identity.actors import Actor
from rooms.models import AgentMember
from tasks.board_rows import FINISHED, FINISHED_SHOWN, BoardRow, board_rows, finished_rows, glance_rows
from tasks.dependencies import Prerequisite, unmet
from tasks.lifecycle import CLOSED
from tasks.projection import NOBODY, Contact, Staleness, staleness


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
    ready_since: datetime | None
    finished_at: datetime | None
    left_at: datetime | None
    waits_for: list[Prerequisite] = field(default_factory=list)
    stale: Staleness | None = None

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
    ready_since: datetime | None


@dataclass(frozen=True, slots=True)
class Glance:
    """The board's version, and the tasks that are stale although nothing stored of them has changed."""

    version: int
    stale: dict[str, Staleness]


def board_of(actor: Actor, room_id: str, *, plate: str | None = None) -> Board | None:
    """The board of a room the caller is in; None when there is no such room. `plate` narrows what was finished."""
    return _board(room_id, board_rows(actor, room_id, plate))


def finished_before(
    actor: Actor,
    room_id: str,
    before: tuple[datetime, str] | None,
    *,
    statuses: Sequence[str] = FINISHED,
    plate: str | None = None,
) -> Board | None:
    """A board of nothing but what was finished behind (`finished_at`, id) `before`, newest first."""
    return _board(room_id, finished_rows(actor, room_id, before, statuses, plate))


def glance_at(actor: Actor, room_id: str) -> Glance | None:
    """What a reader who has the present version still has to be told, in one statement while nothing is late."""
    rows = glance_rows(actor, room_id)
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
    signs = rows.values_list("agent_id", "seen", "last_spoke_at", "left_at")
    return {agent_id: Contact(seen, spoke, left) for agent_id, seen, spoke, left in signs}


def _board(room_id: str, rows: list[BoardRow]) -> Board | None:
    if not rows:
        return None
    version, now = next((row[0], row[1]) for row in rows if row[1] is not None)
    cards = _cards(rows)
    _judge(room_id, cards, now)
    finished = sorted((card for card in cards if card.status in FINISHED), key=attrgetter("finished"), reverse=True)
    return Board(
        version,
        now,
        lanes=sorted((card for card in cards if card.status not in FINISHED), key=attrgetter("place")),
        finished=finished[:FINISHED_SHOWN],
        has_older=len(finished) > FINISHED_SHOWN,
    )


def _cards(rows: list[BoardRow]) -> list[Card]:
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
    suspects = [card for card in cards if staleness(card, now, _at_most(card)) is not None]
    contacts = contacts_in(room_id) if suspects else {}
    for card in suspects:
        card.stale = staleness(card, now, contacts.get(card.assignee_id or "", Contact()))


def _at_most(card: Card) -> Contact:
    """What is known of the agent without asking; any sign of life can only take a reason away."""
    return NOBODY if card.left_at is None else Contact(left_at=card.left_at)
