"""The board as people see it: the one read of tasks, in lanes with their agents, and in words."""

from __future__ import annotations

from collections.abc import Iterable
from dataclasses import dataclass, field
from datetime import datetime

from django.db.models import Max

from agentroom.board.seat import Seat
from agentroom.board.words import stale_sentence
from agentroom.core.limits import INSTANCE_LIVE
from identity.models import Agent, Instance
from rooms.roster import agents_in
from tasks.board import Card, board_of
from tasks.lifecycle import Status
from tasks.models import Task, TaskRecord

POOL = "pool"


@dataclass(frozen=True, slots=True)
class Waits:
    """A prerequisite that is not done."""

    task_id: str
    title: str
    status: str


@dataclass(frozen=True, slots=True)
class Shown:
    """A card with what its ids mean; `says` is the sentence of its staleness."""

    task: Card
    waits: list[Waits]
    summary: str
    says: str


@dataclass(slots=True)
class Lane:
    """`takes` is False for an agent that has left: its work can only be taken away."""

    key: str
    agent: Agent | None = None
    live: bool = False
    takes: bool = True
    cards: list[Shown] = field(default_factory=list)

    @property
    def plate(self) -> str:
        return self.agent.plate if self.agent else ""

    @property
    def doing(self) -> int:
        return sum(card.task.status == Status.DOING for card in self.cards)


def lanes_of(seat: Seat) -> list[Lane]:
    """The pool first, then the agents of the room by name, then those who left with work still theirs."""
    board = board_of(seat.actor, seat.room.pk)
    cards = board.lanes if board else []
    lanes = {"": Lane(POOL)} | _agents(seat, {card.assignee_id for card in cards}, board.now if board else None)
    titles = _titles(cards)
    summaries = _summaries(card.task_id for card in cards)
    for card in cards:
        waits = [Waits(one.task_id, titles.get(one.task_id, ""), one.status) for one in card.waits_for]
        says = stale_sentence(card.stale.reason, card.agent_name or "") if card.stale else ""
        lanes[card.assignee_id or ""].cards.append(Shown(card, waits, summaries.get(card.task_id, ""), says))
    return list(lanes.values())


def _agents(seat: Seat, busy: set[str | None], now: datetime | None) -> dict[str, Lane]:
    here = sorted(agents_in(seat.room), key=lambda agent: (agent.name_key, agent.pk))
    left = busy - {agent.pk for agent in here} - {None}
    gone = list(Agent.objects.filter(pk__in=left).select_related("owner")) if left else []
    seen = dict(
        Instance.objects.filter(agent_id__in=[agent.pk for agent in here])
        .values_list("agent_id")
        .annotate(at=Max("last_seen_at"))
    )
    lanes = {}
    for agent in here:
        at = seen.get(agent.pk)
        lanes[agent.pk] = Lane(agent.plate, agent, live=bool(at and now and at > now - INSTANCE_LIVE))
    return lanes | {agent.pk: Lane(agent.plate, agent, takes=False) for agent in gone}


def _titles(cards: list[Card]) -> dict[str, str]:
    titles = {card.task_id: card.title for card in cards}
    missing = {one.task_id for card in cards for one in card.waits_for} - titles.keys()
    return titles | dict(Task.objects.filter(pk__in=missing).values_list("pk", "title")) if missing else titles


def _summaries(task_ids: Iterable[str]) -> dict[str, str]:
    """The newest record's line of each task."""
    rows = TaskRecord.objects.filter(task_id__in=list(task_ids)).order_by("pk").values_list("task_id", "summary")
    return dict(rows)
