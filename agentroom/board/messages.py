"""Saying something in a room, and taking it back."""

from __future__ import annotations

from django.http import HttpRequest, HttpResponse
from django.shortcuts import redirect, render
from django.views.decorators.http import require_POST

from agentroom.board.access import is_fragment, page, refusal
from agentroom.board.composer import composer
from agentroom.board.forms import read
from agentroom.board.pages import room_context
from agentroom.board.seat import seat_in
from agentroom.board.talk import newer
from agentroom.core.errors import PublicError, Validation
from agentroom.core.inputs import Body, Id, IdempotencyKey, ToolInput
from identity.actors import HumanActor
from rooms.inputs import MentionTarget
from rooms.operations.messages import retract_message, send_message


class Saying(ToolInput):
    body: Body
    target: list[str] = []
    parent_id: Id | None = None
    task_id: Id | None = None
    key: IdempotencyKey | None = None


@require_POST
@page
def send(request: HttpRequest, actor: HumanActor, room_id: str) -> HttpResponse:
    """A refused message stays in the composer, with who was ticked."""
    try:
        said = read(Saying, request)
        targets = [_target(value) for value in said.pop("target")]
        send_message(actor, room=room_id, mention_targets=targets, idempotency_key=said.pop("key"), **said)
    except PublicError as error:
        return _refused(request, actor, room_id, error)
    if not is_fragment(request):
        return redirect(f"/rooms/{room_id}#composer")
    seat = seat_in(actor, room_id)
    more = newer(seat, request.POST.get("after", ""), request.POST.get("at", ""))
    return render(request, "board/_talk_sent.html", {"seat": seat, "said": more, **composer(seat)})


@require_POST
@page
def retract(request: HttpRequest, actor: HumanActor, room_id: str, message_id: str) -> HttpResponse:
    retract_message(actor, room=room_id, message_id=message_id)
    if not is_fragment(request):
        return redirect(f"/rooms/{room_id}#talk")
    return HttpResponse(status=204, headers={"HX-Trigger": "changed"})


def _refused(request: HttpRequest, actor: HumanActor, room_id: str, error: PublicError) -> HttpResponse:
    if is_fragment(request):
        return refusal(request, error)
    seat = seat_in(actor, room_id)
    context = room_context(seat, request)
    kept = composer(seat, body=request.POST.get("body", ""), ticked=tuple(request.POST.getlist("target")))
    return render(request, "board/room.html", {**context, **kept, "error": error, "refused": True}, status=error.status)


def _target(value: str) -> MentionTarget:
    kind, _, name = value.partition(":")
    if kind not in {"plate", "human"}:
        problem = "must be somebody of this room"
        raise Validation("Nothing was sent: one of those to be told is nobody.", fields={"target": problem})
    return MentionTarget(plate=name) if kind == "plate" else MentionTarget(human=name)
