"""The Trust toggle of the person who looks: on asks for a fresh verification, off never does."""

from __future__ import annotations

from django.http import HttpRequest, HttpResponse
from django.views.decorators.http import require_POST

from agentroom.board.access import go_back, page
from identity.actors import HumanActor
from rooms.operations.trust import dismiss_trust_request, set_trust


@require_POST
@page
def trust(request: HttpRequest, actor: HumanActor, room_id: str) -> HttpResponse:
    set_trust(actor, room=room_id, on=request.POST.get("on") == "1")
    return go_back(request, f"/rooms/{room_id}")


@require_POST
@page
def dismiss(request: HttpRequest, actor: HumanActor, room_id: str) -> HttpResponse:
    dismiss_trust_request(actor, room=room_id)
    return go_back(request, "/needs-you")
