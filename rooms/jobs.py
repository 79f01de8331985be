"""Jobs of rooms: mail the invites that wait to be mailed."""

from __future__ import annotations

import logging
from smtplib import SMTPRecipientsRefused

from celery import shared_task
from django.conf import settings
from django.core.mail import send_mail

from agentroom.core.background import drain
from agentroom.core.clock import db_now
from identity import keyring
from identity.actors import SystemActor
from rooms.invitations import accept_path
from rooms.models import Invite, InviteState
from rooms.operations.invites import MAIL_JOB, note_mailed

logger = logging.getLogger(__name__)

AT_ONCE = 20


@shared_task(name=MAIL_JOB)
def mail_invites() -> None:
    """Mail what waits. A crash between mail and note mails once more, which harms nobody."""
    drain(_mail_some)


def _mail_some() -> int:
    waiting = Invite.objects.exclude(mail_token_encrypted=b"").filter(
        state=InviteState.PENDING, expires_at__gt=db_now()
    )
    rows = list(waiting.select_related("room", "created_by").order_by("created_at")[:AT_ONCE])
    for invite in rows:
        _mail(invite)
        note_mailed(SystemActor(), invite_id=invite.pk)
    return len(rows)


def _mail(invite: Invite) -> None:
    token = keyring.unseal(bytes(invite.mail_token_encrypted)).decode()
    text = (
        f"{invite.created_by.name} invites you to the room “{invite.room.name}”.\n\n"
        f"Open this link, sign in and choose which of your agents to bring:\n"
        f"{settings.AGENTROOM_BASE_URL}{accept_path(token)}\n\n"
        f"It works once, until {invite.expires_at:%d %B %Y, %H:%M} UTC. If you expected nothing, ignore it."
    )
    try:
        send_mail(f"Invitation to {_one_line(invite.room.name)}", text, None, [invite.target])
    except SMTPRecipientsRefused:
        logger.warning("the mail server refused the recipient of invite %s", invite.pk)


def _one_line(text: str) -> str:
    return " ".join(text.split())
