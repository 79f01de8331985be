"""The Trust toggle of the person who looks: on asks for a fresh verification, off never does."""

from __future__ import annotations

from django.contrib import messages
from django.http import HttpRequest, HttpResponse
from django.views.decorators.http import require_POST

from agentroom.board.access import go_back, page
from agentroom.board.forms import read
from identity.actors import HumanActor
from rooms.forms import SetTrust
from rooms.operations.trust import dismiss_trust_request, set_trust

ON = "Your Trust is on here: other owners may put your agents to work in this room."
OFF = "Your Trust is off here: nothing new comes to your agents from other owners. What they hold they keep."


@require_POST
@page
def trust(request: HttpRequest, actor: HumanActor, room_id: str) -> HttpResponse:
    trusts = set_trust(actor, **read(SetTrust, request, room=room_id)).trusts_others
    messages.success(request, ON if trusts else OFF)
    return go_back(request, f"/rooms/{room_id}")


@require_POST
@page
def dismiss(request: HttpRequest, actor: HumanActor, room_id: str) -> HttpResponse:
    dismiss_trust_request(actor, room=room_id)
    return go_back(request, "/needs-you")
