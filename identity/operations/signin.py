"""Signing in, verifying again and signing out, each with its row on the server's audit chain."""

from __future__ import annotations

from dataclasses import dataclass
from datetime import timedelta

from allauth.usersessions.models import UserSession
from django.contrib.sessions.backends.base import SessionBase
from django.contrib.sessions.models import Session
from django.db import connection

from agentroom.core.audit import Act, append_server
from agentroom.core.clock import db_now
from agentroom.core.errors import NotFound
from agentroom.core.limits import SIGN_IN_LINK
from agentroom.core.operation import operation
from identity.access import account_for
from identity.actors import HumanActor, SystemActor
from identity.freshness import require_fresh
from identity.models import SignInLink
from identity.outputs import LinkUsed, NewSignInLink, SessionBegan, SessionsEnded
from identity.sessions import SEEN_AT, SIGNED_IN_AT, VERIFIED_AT
from identity.sessions import session_id as id_of
from identity.tokens import hash_of, new_secret


@dataclass(frozen=True, slots=True)
class Device:
    """Where a person signs in from, as the session list shows it."""

    address: str
    user_agent: str


@operation
def make_sign_in_link(actor: SystemActor, *, owner_id: str, lifetime: timedelta | None = SIGN_IN_LINK) -> NewSignInLink:
    """Make a link that signs a person in once. With no `lifetime` it stays good until it is used."""
    owner, now = account_for(owner_id), db_now()
    token = new_secret()
    expires_at = None if lifetime is None else now + lifetime
    SignInLink.objects.create(token_hash=hash_of(token), owner=owner, created_at=now, expires_at=expires_at)
    append_server(actor, Act(act="account.sign_in_link", record_kind="account", record_id=owner.pk))
    return NewSignInLink(owner_id=owner.pk, token=token, expires_at=expires_at)


@operation
def use_sign_in_link(actor: SystemActor, *, token: str) -> LinkUsed:
    """Spend a link and say whom it signs in; a link works once. The session begins with `signing_in.by_link`."""
    links = SignInLink.objects.filter(token_hash=hash_of(token)).select_related("owner")
    link = links.select_for_update(of=("self",) if connection.features.has_select_for_update_of else ()).first()
    now = db_now()
    if link is None or link.used_at or not link.owner.is_active or (link.expires_at and link.expires_at <= now):
        raise NotFound("This sign-in link was used already or is no longer good. Ask for a new one.")
    link.used_at = now
    link.save(update_fields=["used_at"])
    append_server(actor, Act(act="account.sign_in_link_used", record_kind="account", record_id=link.owner_id))
    return LinkUsed(owner_id=link.owner_id)


@operation
def begin_session(actor: HumanActor, *, session: SessionBase, method: str, device: Device) -> SessionBegan:
    """Start the clocks of a session that the sign-in has just given a new id, store it and list it."""
    now = db_now()
    session[SIGNED_IN_AT] = session[VERIFIED_AT] = session[SEEN_AT] = now.isoformat()
    session.save()
    _list(session, actor.owner_id, device)
    append_server(actor, _act("session.sign_in", session.session_key, method))
    return SessionBegan(owner_id=actor.owner_id, verified_at=now)


@operation
def renew_verification(actor: HumanActor, *, session: SessionBase, method: str, device: Device) -> SessionBegan:
    """Note that the person behind a session has just proved again who they are; the session gets a new id."""
    now, old_key = db_now(), session.session_key
    session[VERIFIED_AT] = session[SEEN_AT] = now.isoformat()
    session.cycle_key()
    session.save()
    UserSession.objects.filter(session_key=old_key).delete()
    _list(session, actor.owner_id, device)
    append_server(actor, _act("session.verify_again", session.session_key, method))
    return SessionBegan(owner_id=actor.owner_id, verified_at=now)


@operation
def sign_out(actor: HumanActor) -> SessionsEnded:
    """End the present session."""
    return _ended(actor, [actor.session_key])


@operation
def end_session(actor: HumanActor, *, session_id: str) -> SessionsEnded:
    """Sign oneself out in one place, named as the list of sessions names it."""
    keys = [key for key in _keys_of(actor) if id_of(key) == session_id]
    if not keys:
        raise NotFound("This session has ended already.")
    return _ended(actor, keys)


@operation
def end_other_sessions(actor: HumanActor) -> SessionsEnded:
    """Sign oneself out everywhere but here. Asks for a fresh verification: a thief must not be able to stay alone."""
    require_fresh(actor)
    return _ended(actor, [key for key in _keys_of(actor) if key != actor.session_key])


@operation
def end_all_sessions(actor: HumanActor) -> SessionsEnded:
    """Sign oneself out everywhere, here included."""
    return _ended(actor, _keys_of(actor))


def _keys_of(actor: HumanActor) -> list[str]:
    return list(UserSession.objects.filter(user_id=actor.owner_id).values_list("session_key", flat=True))


def _ended(actor: HumanActor, keys: list[str]) -> SessionsEnded:
    Session.objects.filter(pk__in=keys).delete()
    UserSession.objects.filter(session_key__in=keys).delete()
    append_server(actor, *(_act("session.sign_out", key) for key in keys))
    return SessionsEnded(ended=len(keys))


def _list(session: SessionBase, owner_id: str, device: Device) -> None:
    length = UserSession._meta.get_field("user_agent").max_length
    UserSession.objects.update_or_create(
        session_key=session.session_key,
        defaults={"user_id": owner_id, "ip": device.address, "user_agent": device.user_agent[:length]},
    )


def _act(act: str, session_key: str | None, method: str = "") -> Act:
    after = {"method": method} if method else {}
    return Act(act=act, record_kind="session", record_id=id_of(session_key or ""), after=after)
