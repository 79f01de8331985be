"""Clearing away what ended long ago and nobody will ask for: sessions, sign-in links, answers to repeated calls."""

from __future__ import annotations

from datetime import timedelta

from allauth.usersessions.models import UserSession
from django.contrib.sessions.models import Session
from django.db.models import Exists, OuterRef, Q

from agentroom.core.clock import db_now
from agentroom.core.limits import RECEIPT
from agentroom.core.models import IdempotentReceipt
from agentroom.core.operation import operation
from identity.actors import SystemActor
from identity.models import SignInLink
from identity.outputs import Cleared

AT_ONCE = 500
KEPT = timedelta(days=1)


@operation
def clear_away(actor: SystemActor) -> Cleared:
    """Delete a bounded number of ended sessions and spent links. Not audited: their ends were, when they came."""
    now = db_now()
    stored = Session.objects.filter(pk=OuterRef("session_key"))
    ended = (
        Session.objects.filter(expire_date__lt=now - KEPT),
        UserSession.objects.filter(~Exists(stored), created_at__lt=now - KEPT),
        SignInLink.objects.filter(Q(used_at__lt=now - KEPT) | Q(expires_at__lt=now - KEPT)),
    )
    cleared = 0
    for rows in ended:
        keys = list(rows.values_list("pk", flat=True)[:AT_ONCE])
        cleared += rows.model.objects.filter(pk__in=keys).delete()[0]
    return Cleared(cleared=cleared)


@operation
def forget_receipts(actor: SystemActor) -> Cleared:
    """Delete a bounded number of the oldest receipts whose time is over: from then on their keys are new ones.

    Not audited, as above: nothing that anybody did is undone by it.
    """
    over = IdempotentReceipt.objects.filter(created_at__lt=db_now() - RECEIPT).order_by("created_at")
    keys = list(over.values_list("pk", flat=True)[:AT_ONCE])
    return Cleared(cleared=IdempotentReceipt.objects.filter(pk__in=keys).delete()[0])
