"""How a person wants the pages to look; kept in a cookie, so that no page ever flashes the other theme."""

from __future__ import annotations

from django.conf import settings
from django.http import HttpRequest, HttpResponse
from django.shortcuts import redirect
from django.views.decorators.http import require_POST

from agentroom.board.access import own_path, refusal
from agentroom.board.templatetags.board import THEME_COOKIE, THEMES
from agentroom.core.errors import Validation

YEAR = 365 * 24 * 3600


@require_POST
def theme(request: HttpRequest) -> HttpResponse:
    """An empty theme follows the system."""
    chosen = request.POST.get("theme")
    if chosen not in {"", *THEMES}:
        problem = "must be light, dark or empty"
        return refusal(request, Validation("There is no such theme. Nothing was changed.", fields={"theme": problem}))
    response = redirect(own_path(request.POST.get("back", "")))
    if chosen:
        response.set_cookie(THEME_COOKIE, chosen, YEAR, secure=settings.HTTPS, httponly=True, samesite="Lax")
    else:
        response.delete_cookie(THEME_COOKIE, samesite="Lax")
    return response
