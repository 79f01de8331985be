"""Ends sessions that are too old or too long idle, and notes now and then that one is in use."""

from __future__ import annotations

from collections.abc import Callable

from django.contrib.auth import logout
from django.http import HttpRequest, HttpResponse

from agentroom.core.clock import db_now
from agentroom.core.limits import SESSION_SEEN_EVERY
from identity.sessions import SEEN_AT, SIGNED_IN_AT, instant_of, is_within_limits

Respond = Callable[[HttpRequest], HttpResponse]


class SessionLimits:
    """Stands after authentication. It reads the session only where something has made it known that one exists."""

    def __init__(self, respond: Respond) -> None:
        self._respond = respond

    def __call__(self, request: HttpRequest) -> HttpResponse:
        if request.session.session_key and request.user.is_authenticated:
            _keep_within_limits(request)
        return self._respond(request)


def _keep_within_limits(request: HttpRequest) -> None:
    now = db_now()
    signed_in_at, seen_at = (instant_of(request.session, name) for name in (SIGNED_IN_AT, SEEN_AT))
    if signed_in_at is None or seen_at is None or not is_within_limits(signed_in_at, seen_at, now):
        logout(request)
    elif now - seen_at >= SESSION_SEEN_EVERY:
        request.session[SEEN_AT] = now.isoformat()
