"""A form that was refused comes back filled in, with what is wrong said where it is wrong."""

from __future__ import annotations

from typing import Any

from django.http import HttpRequest, HttpResponse
from django.shortcuts import render

from agentroom.board.access import is_fragment, refusal
from agentroom.core.errors import PublicError, ReauthenticationRequired


def again(request: HttpRequest, error: PublicError, template: str, context: dict[str, Any]) -> HttpResponse:
    """The page of the form once more. A missing verification is left to the door, which asks for it."""
    if isinstance(error, ReauthenticationRequired):
        raise error
    if is_fragment(request):
        return refusal(request, error)
    return render(request, template, {"values": request.POST, **context, "error": error}, status=error.status)
