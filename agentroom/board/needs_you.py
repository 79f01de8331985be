"""One queue across rooms: what waits for this person, each with the one thing needed and the button for it."""

from __future__ import annotations

from collections import Counter
from collections.abc import Iterable
from dataclasses import dataclass

from django.http import HttpRequest, HttpResponse
from django.shortcuts import render
from django.views.decorators.http import require_GET, require_POST

from agentroom.board.access import go_back, page
from agentroom.board.fragments import kept
from agentroom.board.invites import companions
from agentroom.board.lanes import Shown, lanes_of
from agentroom.board.seat import Seat
from identity.actors import HumanActor
from rooms.access import rooms_of, standing_in
from rooms.inbox import open_of
from rooms.models import Mention, Room, RoomStatus
from rooms.operations.mentions import ack_mentions
from rooms.outputs import InviteItem, TrustAsked
from rooms.queries.invites import invites_for
from rooms.queries.settings import trust_requests_of
from tasks.lifecycle import WAITING, Status
from tasks.models import Dependency

MENTIONS = 50
STUCK = frozenset({Status.BLOCKED, Status.FAILED})


@dataclass(frozen=True, slots=True)
class Stuck:
    """A task that only a person can move on; `behind` tasks wait for it, which ranks it."""

    room: Room
    card: Shown
    behind: int


@dataclass(frozen=True, slots=True)
class Queue:
    invites: list[InviteItem]
    trust: list[TrustAsked]
    stuck: list[Stuck]
    mentions: list[Mention]

    @property
    def count(self) -> int:
        return len(self.invites) + len(self.trust) + len(self.stuck) + len(self.mentions)


@require_GET
@page
def needs_you(request: HttpRequest, actor: HumanActor) -> HttpResponse:
    queue = queue_of(actor)
    bring = companions(request, actor) if queue.invites else {}
    return render(request, "board/needs_you.html", {"queue": queue, **bring})


@require_GET
@page
def count(request: HttpRequest, actor: HumanActor) -> HttpResponse:
    """How many wait, for the rail; nothing when none do."""
    waiting = kept(("needs you", actor.owner_id), lambda: queue_of(actor).count)
    return render(request, "board/_count.html", {"waiting": waiting}) if waiting else HttpResponse(status=204)


@require_POST
@page
def read(request: HttpRequest, actor: HumanActor, mention_id: str) -> HttpResponse:
    """The person has seen a mention of them."""
    ack_mentions(actor, mention_ids=[mention_id])
    return go_back(request, "/needs-you")


def queue_of(actor: HumanActor) -> Queue:
    mentions = open_of(actor).select_related("room", "message", "author_agent__owner", "author_owner")
    return Queue(
        invites=invites_for(actor),
        trust=trust_requests_of(actor),
        stuck=_stuck(actor),
        mentions=list(mentions.order_by("created_at", "pk")[:MENTIONS]),
    )


def _stuck(actor: HumanActor) -> list[Stuck]:
    """What is stale, blocked or failed where the person may do something about it; most waited for first."""
    found: list[tuple[Room, Shown]] = []
    for room in rooms_of(actor).exclude(status=RoomStatus.ARCHIVED).order_by("name"):
        seat = Seat(actor, standing_in(actor, room.pk))
        for lane in lanes_of(seat):
            is_mine = lane.agent is not None and lane.agent.owner_id == actor.owner_id
            if seat.administers or is_mine:
                found += [(room, card) for card in lane.cards if card.task.stale or card.task.status in STUCK]
    behind = _behind(card.task.task_id for _, card in found)
    ranked = sorted(found, key=lambda pair: -behind[pair[1].task.task_id])
    return [Stuck(room, card, behind[card.task.task_id]) for room, card in ranked]


def _behind(task_ids: Iterable[str]) -> Counter[str]:
    waiting = Dependency.objects.filter(prerequisite_id__in=list(task_ids), task__status__in=WAITING)
    return Counter(waiting.values_list("prerequisite_id", flat=True))
