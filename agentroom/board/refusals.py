"""A form that was refused comes back filled in, with what is wrong said where it is wrong."""

from __future__ import annotations

from typing import Any

from django.http import HttpRequest, HttpResponse
from django.shortcuts import render

from agentroom.board.access import is_fragment, refusal
from agentroom.core.errors import PublicError, ReauthenticationRequired

# What is typed once and never shown again, not even to whoever typed it.
UNSEEN = frozenset({"token", "csrfmiddlewaretoken"})


def again(request: HttpRequest, error: PublicError, template: str, context: dict[str, Any]) -> HttpResponse:
    """The page of the form once more, what was typed over what stands.

    A missing verification is left to the door, which asks for it.
    """
    if isinstance(error, ReauthenticationRequired):
        raise error
    if is_fragment(request):
        return refusal(request, error)
    typed = {name: value for name, value in request.POST.items() if name not in UNSEEN}
    values = {**context.get("values", {}), **typed}
    return render(request, template, {**context, "values": values, "error": error}, status=error.status)
