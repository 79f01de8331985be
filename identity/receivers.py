"""What the sign-in library announces, taken into our sessions and accounts.

Its signals are its only hooks for the purpose; each one calls one operation.
"""

from __future__ import annotations

import logging
from typing import Any

from allauth.account import signals as account
from allauth.account.adapter import get_adapter
from allauth.account.authentication import get_authentication_records
from allauth.account.models import EmailAddress
from allauth.mfa import signals as mfa
from django.contrib.auth.signals import user_logged_in, user_logged_out, user_login_failed
from django.http import HttpRequest

from identity.models import Owner
from identity.operations.accounts import note_account_change, vouch_for_account
from identity.operations.signin import Device, begin_session, renew_verification, sign_out
from identity.sessions import human_as

logger = logging.getLogger(__name__)


def connect() -> None:
    user_logged_in.connect(_on_signed_in)
    user_logged_out.connect(_on_signed_out)
    user_login_failed.connect(_on_sign_in_failed)
    account.authentication_step_completed.connect(_on_verified)
    account.email_confirmed.connect(_on_email_confirmed)
    account.email_changed.connect(_on_email_changed)
    for signal, act in _NOTED.items():
        signal.connect(_noting(act), weak=False, dispatch_uid=f"identity.{act}")


def _on_signed_in(*, request: HttpRequest, user: Owner, **_: Any) -> None:
    records = get_authentication_records(request, user)
    method = str(records[-1]["method"]) if records else "direct"
    begin_session(human_as(request, user), session=request.session, method=method, device=_device_of(request))


def _on_verified(*, request: HttpRequest, user: Owner, method: str, reauthenticated: bool = False, **_: Any) -> None:
    # A step of a sign-in under way is no verification yet; the sign-in itself is.
    if reauthenticated:
        device = _device_of(request)
        renew_verification(human_as(request, user), session=request.session, method=method, device=device)


def _on_signed_out(*, request: HttpRequest, user: Owner | None, **_: Any) -> None:
    if user is not None:
        sign_out(human_as(request, user))


def _on_sign_in_failed(**_: Any) -> None:
    # Nothing of what was typed: people put passwords into the wrong field.
    logger.warning("a sign-in failed")


def _on_email_confirmed(*, request: HttpRequest, email_address: EmailAddress, **_: Any) -> None:
    owner = email_address.user
    vouch_for_account(human_as(request, owner), owner_id=owner.pk)


def _on_email_changed(*, request: HttpRequest, user: Owner, from_email_address: EmailAddress | None, **_: Any) -> None:
    # A new account's first address is announced as a change from none.
    if from_email_address is not None:
        note_account_change(human_as(request, user), act="account.email_change")


def _noting(act: str) -> Any:
    def note(*, request: HttpRequest, user: Owner, **_: Any) -> None:
        note_account_change(human_as(request, user), act=act)

    return note


_NOTED = {
    account.password_changed: "account.password_change",
    account.password_set: "account.password_set",
    account.password_reset: "account.password_reset",
    account.email_added: "account.email_add",
    account.email_removed: "account.email_remove",
    mfa.authenticator_added: "account.second_factor_add",
    mfa.authenticator_removed: "account.second_factor_remove",
    mfa.authenticator_reset: "account.second_factor_reset",
}


def _device_of(request: HttpRequest) -> Device:
    return Device(get_adapter().get_client_ip(request), request.META.get("HTTP_USER_AGENT", ""))
