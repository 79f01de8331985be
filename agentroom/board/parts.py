"""The parts of the room page, and where a live page pulls them from."""

from __future__ import annotations

from typing import Any

from django.http import HttpRequest, HttpResponse
from django.shortcuts import render
from django.template.loader import render_to_string
from django.views.decorators.http import require_GET

from agentroom.board import fragments
from agentroom.board.access import page
from agentroom.board.fragments import Fragment, Rendered, digested, kept
from agentroom.board.lanes import lanes_of
from agentroom.board.seat import Seat, seat_in
from agentroom.board.talk import newer
from agentroom.core.errors import NotFound
from identity.actors import HumanActor


def _head(seat: Seat) -> dict[str, Any]:
    trusting = dict(seat.room.members.filter(left_at=None).values_list("owner_id", "trusts_others"))
    objective = seat.room.notebook.objective
    return {"crosses": len(trusting) > 1, "trusts": trusting.get(seat.actor.owner_id), "objective": objective}


PARTS = {
    part.name: part
    for part in (
        Fragment("head", "board/_head.html", "room focus trust roster", _head, viewer=lambda seat: seat.actor.owner_id),
    )
}


@require_GET
@page
def part(request: HttpRequest, actor: HumanActor, room_id: str, name: str) -> HttpResponse:
    """One part, or nothing when the page shows it already."""
    seat = seat_in(actor, room_id)
    if name not in PARTS:
        raise NotFound("This room has no such part.")
    found = fragments.render(PARTS[name], seat)
    if found.digest == request.GET.get("v"):
        return HttpResponse(status=204)
    return render(request, "board/_part.html", shown(PARTS[name], seat))


@require_GET
@page
def lanes(request: HttpRequest, actor: HumanActor, room_id: str) -> HttpResponse:
    """The lanes that the page shows differently; all of them when a lane has come or gone."""
    seat = seat_in(actor, room_id)
    shows = dict(pair.rpartition(":")[::2] for pair in request.GET.getlist("lane"))
    found = lanes_for(seat)
    if list(shows) != list(found):
        return render(request, "board/_lanes_all.html", {"seat": seat, "lanes": found})
    changed = {key: lane for key, lane in found.items() if lane.digest != shows[key]}
    if not changed:
        return HttpResponse(status=204)
    return render(request, "board/_lanes_changed.html", {"lanes": changed})


@require_GET
@page
def talk(request: HttpRequest, actor: HumanActor, room_id: str) -> HttpResponse:
    """What was said since the page last asked, and what was taken back."""
    seat = seat_in(actor, room_id)
    said = newer(seat, request.GET.get("after", ""), request.GET.get("at", ""))
    return render(request, "board/_talk_more.html", {"seat": seat, "said": said}) if said else HttpResponse(status=204)


def shown(fragment: Fragment, seat: Seat) -> dict[str, Any]:
    """What `_part.html` needs: the part, and how it stays live."""
    return {"part": fragment, "found": fragments.render(fragment, seat), "room_id": seat.room.pk}


def lanes_for(seat: Seat) -> dict[str, Rendered]:
    """Each lane rendered, by its key, in the order of the board; beside the pool alone, how to begin."""
    room = seat.room
    key = ("lanes", room.pk, room.board_version, room.context_version, seat.standing.role)
    found: dict[str, Rendered] = kept(key, lambda: _rendered_lanes(seat))
    return found


def _rendered_lanes(seat: Seat) -> dict[str, Rendered]:
    lanes = lanes_of(seat)
    found = {lane.key: digested(render_to_string("board/_lane.html", {"seat": seat, "lane": lane})) for lane in lanes}
    if len(lanes) == 1:
        found["start"] = digested(render_to_string("board/_start.html", {"seat": seat}))
    return found
