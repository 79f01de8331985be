"""Who is in a room: bringing agents in, taking them out, roles, leaving, and invites."""

from __future__ import annotations

from typing import Any

from django.conf import settings
from django.contrib import messages
from django.http import HttpRequest, HttpResponse
from django.shortcuts import redirect, render
from django.views.decorators.http import require_GET, require_POST

from agentroom.board.access import page
from agentroom.board.forms import read
from agentroom.board.parts import PARTS, shown
from agentroom.board.refusals import again
from agentroom.board.seat import Seat, seat_in
from agentroom.core.errors import PublicError
from identity.actors import HumanActor
from identity.queries import agents_of
from rooms.forms import Invitation, SetRole
from rooms.invitations import accept_path
from rooms.models import Role
from rooms.operations.invites import invite, revoke_invite
from rooms.operations.members import add_agent, leave_room, remove_agent, remove_member, set_role
from rooms.queries.invites import invites_to
from rooms.queries.members import members_of


@require_GET
@page
def members(request: HttpRequest, actor: HumanActor, room_id: str) -> HttpResponse:
    return render(request, "board/members.html", _context(seat_in(actor, room_id)))


@require_POST
@page
def bring(request: HttpRequest, actor: HumanActor, room_id: str) -> HttpResponse:
    add_agent(actor, room=room_id, plate=request.POST.get("plate", ""))
    return _to_members(room_id)


@require_POST
@page
def take_out(request: HttpRequest, actor: HumanActor, room_id: str, plate: str) -> HttpResponse:
    remove_agent(actor, room=room_id, plate=plate)
    return _to_members(room_id)


@require_POST
@page
def role(request: HttpRequest, actor: HumanActor, room_id: str, owner_id: str) -> HttpResponse:
    set_role(actor, **read(SetRole, request, room=room_id, owner_id=owner_id))
    return _to_members(room_id)


@require_POST
@page
def remove(request: HttpRequest, actor: HumanActor, room_id: str, owner_id: str) -> HttpResponse:
    remove_member(actor, room=room_id, owner_id=owner_id)
    return _to_members(room_id)


@require_POST
@page
def leave(request: HttpRequest, actor: HumanActor, room_id: str) -> HttpResponse:
    leave_room(actor, room=room_id)
    messages.success(request, "You and your agents have left the room.")
    return redirect("/")


@require_POST
@page
def send_invite(request: HttpRequest, actor: HumanActor, room_id: str) -> HttpResponse:
    """Make an invite; the link of one is shown this once, on the page that answers."""
    seat = seat_in(actor, room_id)
    try:
        made = invite(actor, **read(Invitation, request, room=room_id))
    except PublicError as error:
        return again(request, error, "board/members.html", _context(seat))
    link = settings.AGENTROOM_BASE_URL + accept_path(made.token)
    kind = request.POST.get("kind")
    return render(request, "board/members.html", {**_context(seat), "link": link, "kind": kind, "made": made})


@require_POST
@page
def withdraw_invite(request: HttpRequest, actor: HumanActor, room_id: str, invite_id: str) -> HttpResponse:
    revoke_invite(actor, room=room_id, invite_id=invite_id)
    return _to_members(room_id)


def _context(seat: Seat) -> dict[str, Any]:
    found = members_of(seat.room)
    here = {agent.plate for agent in found.agents}
    mine = [agent for agent in agents_of(seat.actor).agents if agent.revoked_at is None]
    return {
        "here": "members",
        "seat": seat,
        "head": shown(PARTS["head"], seat),
        "members": found,
        "addable": [agent for agent in mine if agent.plate not in here],
        "has_other_admin": sum(human.role == Role.ADMIN for human in found.humans) > 1,
        "my_plates": {agent.plate for agent in mine},
        "invites": invites_to(seat.actor, room=seat.room.pk) if seat.administers else [],
    }


def _to_members(room_id: str) -> HttpResponse:
    return redirect(f"/rooms/{room_id}/members")
