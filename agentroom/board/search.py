"""Searching the rooms one belongs to: what was said, the tasks, the files."""

from __future__ import annotations

from dataclasses import dataclass

from django.http import HttpRequest, HttpResponse
from django.shortcuts import render
from django.views.decorators.http import require_GET

from agentroom.board.access import page
from agentroom.core import guard
from agentroom.core.errors import Validation
from agentroom.core.inputs import is_visible
from agentroom.core.limits import QUERY_CHARACTERS
from identity.actors import HumanActor
from rooms.access import rooms_of
from rooms.models import Room
from rooms.outputs import HitItem
from rooms.queries.search import search_room

# Each room is searched on its own; one page looks into this many, the others are a click away.
ROOMS_A_PAGE = 10
HITS_A_ROOM = 8


@dataclass(frozen=True, slots=True)
class Findings:
    room: Room
    hits: list[tuple[str, HitItem]]
    next: str | None


@require_GET
@page
def search(request: HttpRequest, actor: HumanActor) -> HttpResponse:
    query, chosen = request.GET.get("q", "").strip(), request.GET.get("room", "")
    rooms = list(rooms_of(actor).order_by("name"))
    context = {"query": query, "rooms": rooms, "chosen": chosen}
    if not is_visible(query):
        return render(request, "board/search.html", context)
    guard.check(query)
    if len(query) > QUERY_CHARACTERS:
        problem = f"max {QUERY_CHARACTERS} characters, got {len(query)}"
        raise Validation(f"This is too long to search for: {problem}.", fields={"q": problem})
    searched = [room for room in rooms if chosen in {"", room.pk}][:ROOMS_A_PAGE]
    found = [_findings(actor, room, query, request.GET.get("after") if chosen else None) for room in searched]
    return render(request, "board/search.html", {**context, "found": [one for one in found if one.hits or one.next]})


def _findings(actor: HumanActor, room: Room, query: str, after: str | None) -> Findings:
    page = search_room(actor, room=room.pk, query=query, after=after, limit=HITS_A_ROOM)
    return Findings(room, [(_where(room, hit), hit) for hit in page.hits], page.next)


def _where(room: Room, hit: HitItem) -> str:
    """Where the finding is shown."""
    if hit.kind == "message":
        seq = hit.ref.rpartition("#")[2]
        return f"/rooms/{room.pk}/talk?before={int(seq) + 1}#msg-{seq}"
    return f"/rooms/{room.pk}/tasks/{hit.ref}" if hit.kind == "task" else f"/rooms/{room.pk}"
