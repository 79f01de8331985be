"""Accepting an invite: looking never uses it up, and whoever is not signed in comes back after signing in."""

from __future__ import annotations

from typing import Any
from urllib.parse import urlencode

from django.contrib import messages
from django.http import HttpRequest, HttpResponse
from django.shortcuts import redirect, render
from django.views.decorators.http import require_http_methods, require_POST

from agentroom.board.access import page
from agentroom.board.forms import read
from agentroom.board.refusals import again
from agentroom.core.clock import db_now
from agentroom.core.errors import PublicError
from identity.actors import HumanActor
from identity.adapter import invite as let_sign_up
from identity.models import Owner
from identity.queries import agents_of
from rooms.forms import AcceptInvite
from rooms.invitations import token_hash
from rooms.models import Invite, InviteState
from rooms.operations.invites import accept_invite
from rooms.outputs import Joined
from rooms.queries.invites import invite_behind


@require_http_methods(["GET", "HEAD", "POST"])
def invite(request: HttpRequest, token: str) -> HttpResponse:
    """A stranger who holds an open invite may sign up with it, then sees it again."""
    if isinstance(request.user, Owner):
        return _decide(request, token=token)
    open_ones = Invite.objects.filter(token_hash=token_hash(token), state=InviteState.PENDING, expires_at__gt=db_now())
    found = open_ones.values_list("room__name", "created_by__name", "expires_at").first()
    if found is None:
        return render(request, "board/invite_gone.html", status=404)
    room, inviter, until = found
    let_sign_up(request, until)
    back = urlencode({"next": request.path})
    return render(request, "board/invite_stranger.html", {"room": room, "inviter": inviter, "back": back})


@page
def _decide(request: HttpRequest, actor: HumanActor, token: str) -> HttpResponse:
    found = invite_behind(actor, token=token)
    context = {"invite": found, **companions(request, actor)}
    if request.method != "POST":
        return render(request, "board/invite.html", context)
    try:
        joined = accept_invite(actor, **read(AcceptInvite, request, token=token))
    except PublicError as error:
        return again(request, error, "board/invite.html", context)
    return _arrived(request, joined)


@require_POST
@page
def accept(request: HttpRequest, actor: HumanActor, invite_id: str) -> HttpResponse:
    """An invite that names the person, taken up from Needs you."""
    return _arrived(request, accept_invite(actor, **read(AcceptInvite, request, invite_id=invite_id)))


def companions(request: HttpRequest, actor: HumanActor) -> dict[str, Any]:
    """What `_bring.html` needs: the person's agents, and those ticked; an only one is, as most come to bring it."""
    mine = [agent for agent in agents_of(actor).agents if agent.revoked_at is None]
    only = [agent.plate for agent in mine] if len(mine) == 1 else []
    return {"agents": mine, "ticked": request.POST.getlist("plates") if request.method == "POST" else only}


def _arrived(request: HttpRequest, joined: Joined) -> HttpResponse:
    """To the board, or to where an agent is brought in when nobody works for the person there yet."""
    if joined.plates:
        messages.success(request, "You are in the room.")
        return redirect(f"/rooms/{joined.room}")
    messages.warning(request, "You are in the room, and no agent of yours is. Bring one in below when you want to.")
    return redirect(f"/rooms/{joined.room}/members")
