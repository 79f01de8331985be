"""A person's signed-in session as its stored row tells it. The database's clock says how old it is.

Django's own expiry goes by the clock of whichever process saved the session, so it only clears away; what ends a
session is decided here, on three instants kept in it.
"""

from __future__ import annotations

from collections.abc import Iterable
from dataclasses import dataclass
from datetime import datetime
from typing import Any

from django.contrib.auth import HASH_SESSION_KEY, SESSION_KEY
from django.contrib.sessions.models import Session
from django.http import HttpRequest
from django.utils.crypto import constant_time_compare

from agentroom.core.clock import db_now
from agentroom.core.digest import sha256_hex
from agentroom.core.errors import IdentityRequired
from agentroom.core.limits import SESSION_IDLE, SESSION_LIFE
from identity.actors import HumanActor
from identity.models import Owner

SIGNED_IN_AT = "signed_in_at"
VERIFIED_AT = "verified_at"
SEEN_AT = "seen_at"


@dataclass(frozen=True, slots=True)
class SignedIn:
    """A session that may act now."""

    owner: Owner
    signed_in_at: datetime
    verified_at: datetime
    seen_at: datetime


def signed_in(session_key: str) -> SignedIn | None:
    """The person behind `session_key`, read from the database, or None once the session has ended.

    It has ended when signed out anywhere, when too long idle or too old, when the account is gone, and when the
    password was changed elsewhere.
    """
    return signed_in_all([session_key]).get(session_key)


def signed_in_all(session_keys: Iterable[str]) -> dict[str, SignedIn]:
    """As `signed_in`, for many sessions at once; one that has ended is absent."""
    rows = Session.objects.filter(pk__in=[key for key in session_keys if key])
    found = {row.pk: row.get_decoded() for row in rows}
    owners = Owner.objects.filter(is_active=True).in_bulk({data.get(SESSION_KEY) for data in found.values()})
    now = db_now() if owners else None
    live = {}
    for key, data in found.items():
        owner, instants = owners.get(data.get(SESSION_KEY, "")), _instants_of(data)
        if owner is None or now is None or not instants or not _has_present_password(data, owner):
            continue
        session = SignedIn(owner, *instants)
        if is_within_limits(session.signed_in_at, session.seen_at, now):
            live[key] = session
    return live


def session_id(session_key: str) -> str:
    """How a session is named in lists and audit rows: its key is a secret, a digest of it is not."""
    return sha256_hex(session_key.encode())[:32]


def human_of(request: HttpRequest) -> HumanActor:
    """The signed-in person of a request. Raises `IdentityRequired` when nobody is signed in."""
    if not isinstance(request.user, Owner):
        raise IdentityRequired("Sign in first.")
    return human_as(request, request.user)


def human_as(request: HttpRequest, owner: Owner) -> HumanActor:
    """The actor that `owner` is in this request's session."""
    return HumanActor(
        owner_id=owner.pk,
        name=owner.name,
        handle=owner.handle,
        session_key=request.session.session_key or "",
        request_id=getattr(request, "request_id", ""),
    )


def is_within_limits(signed_in_at: datetime, seen_at: datetime, now: datetime) -> bool:
    """Whether a session is neither too old nor too long idle (AR-6.4)."""
    return now - signed_in_at <= SESSION_LIFE and now - seen_at <= SESSION_IDLE


def instant_of(data: Any, name: str) -> datetime | None:
    """One of the three instants of a session, given its data; None when it has none."""
    try:
        return datetime.fromisoformat(data[name])
    except (KeyError, TypeError, ValueError):
        return None


def _has_present_password(data: dict[str, Any], owner: Owner) -> bool:
    return constant_time_compare(data.get(HASH_SESSION_KEY, ""), owner.get_session_auth_hash())


def _instants_of(data: dict[str, Any]) -> list[datetime]:
    instants = [instant_of(data, name) for name in (SIGNED_IN_AT, VERIFIED_AT, SEEN_AT)]
    return [instant for instant in instants if instant is not None] if None not in instants else []
