"""The rooms of a person, and one room's board, talk, done work and members."""

from __future__ import annotations

from typing import Any

from django.contrib import messages
from django.http import HttpRequest, HttpResponse
from django.shortcuts import redirect, render
from django.views.decorators.http import require_GET, require_http_methods

from agentroom.board.access import page
from agentroom.board.composer import composer
from agentroom.board.forms import read
from agentroom.board.listing import rooms_listed
from agentroom.board.parts import PARTS, lanes_for, shown
from agentroom.board.refusals import again
from agentroom.board.seat import Seat, seat_in
from agentroom.board.shelf import shelf_of
from agentroom.board.talk import page_of
from agentroom.core.errors import PublicError
from identity.actors import HumanActor
from rooms.forms import CreateRoom
from rooms.operations.rooms import create_room


@require_http_methods(["GET", "HEAD", "POST"])
@page
def rooms(request: HttpRequest, actor: HumanActor) -> HttpResponse:
    """Every room of the person; a POST makes one."""
    if request.method != "POST":
        return render(request, "board/rooms.html", {"rooms": rooms_listed(actor)})
    try:
        made = create_room(actor, **read(CreateRoom, request))
    except PublicError as error:
        return again(request, error, "board/rooms.html", {"rooms": rooms_listed(actor)})
    messages.success(request, f"{made.name} is there. Bring an agent in, or invite somebody.")
    return redirect(f"/rooms/{made.room}/members")


@require_GET
@page
def room(request: HttpRequest, actor: HumanActor, room_id: str) -> HttpResponse:
    return render(request, "board/room.html", room_context(seat_in(actor, room_id), request))


@require_GET
@page
def done(request: HttpRequest, actor: HumanActor, room_id: str) -> HttpResponse:
    """Finished, cancelled and archived work, newest first, page by page."""
    seat = seat_in(actor, room_id)
    shelf = shelf_of(seat.room, before=request.GET.get("before", ""), archived="archived" in request.GET)
    return render(
        request, "board/done.html", {"here": "done", "seat": seat, "head": shown(PARTS["head"], seat), "shelf": shelf}
    )


@require_GET
@page
def talk(request: HttpRequest, actor: HumanActor, room_id: str) -> HttpResponse:
    """The history of the talk, page by page."""
    seat = seat_in(actor, room_id)
    context = {"seat": seat, "head": shown(PARTS["head"], seat), "talk": page_of(seat, before(request))}
    return render(request, "board/talk.html", context)


def room_context(seat: Seat, request: HttpRequest) -> dict[str, Any]:
    return {
        "seat": seat,
        "head": shown(PARTS["head"], seat),
        "lanes": lanes_for(seat),
        "talk": page_of(seat),
        **composer(seat, reply=request.GET.get("reply", "")),
    }


def before(request: HttpRequest) -> int | None:
    """The `before` of a page's address; nonsense is the newest page."""
    text = request.GET.get("before", "")
    return int(text) if text.isascii() and text.isdigit() and len(text) < 16 else None
