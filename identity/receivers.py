"""What the sign-in library announces, taken into our sessions. These signals are its only hooks for the purpose."""

from __future__ import annotations

from typing import Any

from allauth.account.authentication import get_authentication_records
from allauth.account.signals import authentication_step_completed
from django.contrib.auth.signals import user_logged_in
from django.http import HttpRequest

from identity.models import Owner
from identity.operations.signin import begin_session, renew_verification
from identity.sessions import human_as


def connect() -> None:
    user_logged_in.connect(_on_signed_in, dispatch_uid="identity.begin_session")
    authentication_step_completed.connect(_on_verified, dispatch_uid="identity.renew_verification")


def _on_signed_in(*, request: HttpRequest, user: Owner, **_: Any) -> None:
    records = get_authentication_records(request, user)
    method = str(records[-1]["method"]) if records else "direct"
    begin_session(human_as(request, user), session=request.session, method=method)


def _on_verified(*, request: HttpRequest, user: Owner, method: str, reauthenticated: bool = False, **_: Any) -> None:
    # A step of a sign-in under way is no verification yet; the sign-in itself is.
    if reauthenticated:
        renew_verification(human_as(request, user), session=request.session, method=method)
