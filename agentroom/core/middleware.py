"""What every Django response gets: a content policy with a nonce, and a name for the access log."""

from __future__ import annotations

import secrets
from collections.abc import Callable
from typing import Any

from django.http import HttpRequest, HttpResponse

from agentroom.core import ids
from agentroom.core.headers import ALWAYS, page_policy

Respond = Callable[[HttpRequest], HttpResponse]

# Django's own admin loads its scripts without a nonce. They are files of ours, and nothing a user stores is
# served as a script, so "self" is safer here than writing nonces into whatever HTML comes out.
ADMIN = "/admin/"


class PageSecurity:
    """Gives `request.csp_nonce` to templates and the matching policy to HTML; a policy set by a view is kept."""

    def __init__(self, respond: Respond) -> None:
        self._respond = respond

    def __call__(self, request: HttpRequest) -> HttpResponse:
        nonce = secrets.token_urlsafe(16)
        request.csp_nonce = nonce  # type: ignore[attr-defined]
        response = self._respond(request)
        if response.headers.get("Content-Type", "").startswith("text/html"):
            script = "'self'" if request.path.startswith(ADMIN) else f"'nonce-{nonce}'"
            response.headers.setdefault("Content-Security-Policy", page_policy(script))
        for name, value in ALWAYS.items():
            response.headers.setdefault(name, value)
        if not response.headers.get("Cache-Control"):
            response.headers["Cache-Control"] = "no-store"
        return response


class RequestFacts:
    """`request.request_id`, and for the access log the route's pattern and the actor: never the path itself,
    which may carry an invitation or a sign-in link."""

    def __init__(self, respond: Respond) -> None:
        self._respond = respond

    def __call__(self, request: HttpRequest) -> HttpResponse:
        scope = _scope(request)
        facts = scope.setdefault("facts", {})
        request.request_id = scope.setdefault("request_id", ids.request_id())  # type: ignore[attr-defined]
        response = self._respond(request)
        if request.resolver_match is not None:
            facts["route"] = request.resolver_match.route
        # Only a user somebody has loaded already: the log must not cost a query.
        user = getattr(request, "_cached_user", None)
        if user is not None and user.is_authenticated:
            facts.setdefault("actor", f"human:{user.pk}")
        return response


def _scope(request: HttpRequest) -> dict[str, Any]:
    scope: dict[str, Any] | None = getattr(request, "scope", None)
    return {} if scope is None else scope
