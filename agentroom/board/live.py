"""What a page needs to stay live besides its fragments: a ticket for its socket."""

from __future__ import annotations

from django.http import HttpRequest, HttpResponse, JsonResponse
from django.views.decorators.http import require_GET

from agentroom.board.access import page
from agentroom.board.tickets import ticket_for
from identity.actors import HumanActor
from rooms.access import room_for


@require_GET
@page
def ticket(request: HttpRequest, actor: HumanActor, room_id: str) -> HttpResponse:
    return JsonResponse({"ticket": ticket_for(actor.session_key, room_for(actor, room_id).pk)})
