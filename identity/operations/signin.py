"""Signing in, verifying again and signing out, each with its row on the server's audit chain."""

from __future__ import annotations

from django.contrib.sessions.backends.base import SessionBase

from agentroom.core.audit import Act, append_server
from agentroom.core.clock import db_now
from agentroom.core.operation import operation
from identity.actors import HumanActor
from identity.outputs import SessionBegan
from identity.sessions import SEEN_AT, SIGNED_IN_AT, VERIFIED_AT, session_id


@operation
def begin_session(actor: HumanActor, *, session: SessionBase, method: str) -> SessionBegan:
    """Start the clocks of a session that the sign-in has just given a new id, and store it."""
    now = db_now()
    session[SIGNED_IN_AT] = session[VERIFIED_AT] = session[SEEN_AT] = now.isoformat()
    session.save()
    append_server(actor, _act("sign_in", session, method))
    return SessionBegan(owner_id=actor.owner_id, verified_at=now)


@operation
def renew_verification(actor: HumanActor, *, session: SessionBase, method: str) -> SessionBegan:
    """Note that the person behind a session has just proved again who they are; the session gets a new id."""
    now = db_now()
    session[VERIFIED_AT] = session[SEEN_AT] = now.isoformat()
    session.cycle_key()
    session.save()
    append_server(actor, _act("verify_again", session, method))
    return SessionBegan(owner_id=actor.owner_id, verified_at=now)


def _act(act: str, session: SessionBase, method: str) -> Act:
    return Act(
        act=act,
        record_kind="session",
        record_id=session_id(session.session_key or ""),
        after={"method": method},
    )
