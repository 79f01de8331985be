"""The door of the people: who is signed in, and how a refusal looks to them."""

from __future__ import annotations

import functools
from collections.abc import Callable
from typing import Any
from urllib.parse import urlencode

from django.conf import settings
from django.http import HttpRequest, HttpResponse
from django.shortcuts import redirect, render
from django.utils.http import url_has_allowed_host_and_scheme

from agentroom.core import ids
from agentroom.core.errors import PublicError, ReauthenticationRequired
from identity.models import Owner
from identity.sessions import human_of

View = Callable[..., HttpResponse]


def page(view: View) -> View:
    """`view(request, actor, …)` for a signed-in person; a refusal becomes a page, or a notice where htmx asked."""

    @functools.wraps(view)
    def guarded(request: HttpRequest, **where: Any) -> HttpResponse:
        if not isinstance(request.user, Owner):
            return _to(request, f"{settings.LOGIN_URL}?{urlencode({'next': here(request)})}")
        try:
            return view(request, human_of(request), **where)
        except ReauthenticationRequired:
            return _to(request, f"/account/verify?{urlencode({'next': here(request)})}")
        except PublicError as error:
            return refusal(request, error)

    return guarded


def refusal(request: HttpRequest, error: PublicError, title: str = "") -> HttpResponse:
    """The third rendering of a public error, after MCP's and REST's. `title` where the error's own says too little."""
    request_id = getattr(request, "request_id", "") or ids.request_id()
    context = {"error": error, "title": title, "error_id": ids.error_id(), "request_id": request_id}
    context["back"] = here(request) if request.method == "POST" else ""
    template = "board/_error.html" if is_fragment(request) else "board/error.html"
    response = render(request, template, context, status=error.status)
    if error.status == 503:
        response["Retry-After"] = "2"
    return response


def is_fragment(request: HttpRequest) -> bool:
    """Whether htmx asked, for part of a page."""
    return request.headers.get("HX-Request") == "true"


def here(request: HttpRequest, default: str = "/") -> str:
    """The page that the person is on: the asked one, or the one a form says it stands on."""
    if request.method == "GET" and not is_fragment(request):
        return request.get_full_path()
    return own_path(request.POST.get("back", ""), default)


def own_path(path: str, default: str = "/") -> str:
    """`path` when it is one of ours, else `default`: nobody is sent to another site."""
    if path.startswith("/") and url_has_allowed_host_and_scheme(path, allowed_hosts=None):
        return path
    return default


def go_back(request: HttpRequest, default: str = "/") -> HttpResponse:
    """After a change: to the page whose form asked for it."""
    return redirect(here(request, default))


def _to(request: HttpRequest, path: str) -> HttpResponse:
    if is_fragment(request):
        return HttpResponse(status=204, headers={"HX-Redirect": path})
    return redirect(path)
