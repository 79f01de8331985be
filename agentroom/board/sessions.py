"""Signing in by a one-time link, verifying again, and the places where one is signed in."""

from __future__ import annotations

from typing import Any
from urllib.parse import urlencode

from allauth.account.adapter import get_adapter
from django.contrib import messages
from django.http import HttpRequest, HttpResponse
from django.shortcuts import redirect, render
from django.views.decorators.cache import never_cache
from django.views.decorators.http import require_GET, require_http_methods, require_POST

from agentroom.board.access import own_path, page, refusal
from agentroom.board.refusals import again
from agentroom.core.errors import PublicError
from identity.actors import HumanActor
from identity.operations.accounts import rename_account
from identity.operations.signin import end_other_sessions, end_session
from identity.queries import sessions_of
from identity.signing_in import by_link


@never_cache
@require_http_methods(["GET", "HEAD", "POST"])
def link(request: HttpRequest, token: str) -> HttpResponse:
    """A GET shows a button: whatever fetches the address to preview it must not use it up."""
    where = own_path(request.GET.get("next", ""))
    if request.method != "POST":
        return render(request, "board/sign_in_link.html")
    try:
        return by_link(request, token, redirect_url=where)
    except PublicError as error:
        return refusal(request, error)


@require_GET
@page
def account(request: HttpRequest, actor: HumanActor) -> HttpResponse:
    return render(request, "board/account.html", _context(actor))


@require_POST
@page
def rename(request: HttpRequest, actor: HumanActor) -> HttpResponse:
    try:
        rename_account(actor, name=request.POST.get("name", ""))
    except PublicError as error:
        return again(request, error, "board/account.html", _context(actor))
    messages.success(request, "Your name is changed.")
    return redirect("/account")


@require_POST
@page
def end(request: HttpRequest, actor: HumanActor, session_id: str) -> HttpResponse:
    end_session(actor, session_id=session_id)
    return redirect("/account")


@require_POST
@page
def end_others(request: HttpRequest, actor: HumanActor) -> HttpResponse:
    count = end_other_sessions(actor).ended
    messages.success(request, f"Signed out in {count} other place{'' if count == 1 else 's'}.")
    return redirect("/account")


@require_GET
@page
def verify(request: HttpRequest, actor: HumanActor) -> HttpResponse:
    """To whichever way of verifying the person has; afterwards back to the page they were on, to repeat the act."""
    back = own_path(request.GET.get("next", ""))
    ways = get_adapter().get_reauthentication_methods(request.user)
    if not ways:
        return render(request, "board/verify_by_link.html", {"back": back})
    return redirect(f"{ways[0]['url']}?{urlencode({'next': back})}")


def _context(actor: HumanActor) -> dict[str, Any]:
    return {"sessions": sessions_of(actor).sessions, "values": {"name": actor.name}}
