"""Tickets for sockets: short-lived, for one room, worth something only beside the session they were made in.

A cookie alone opens no socket: pages of other ports of this machine share it, but cannot read a ticket.
"""

from __future__ import annotations

from django.core import signing

from identity.sessions import session_id

SALT = "agentroom.board.ticket"
SECONDS = 30


def ticket_for(session_key: str, room_id: str) -> str:
    return signing.dumps([session_id(session_key), room_id], salt=SALT)


def admits(ticket: str, session_key: str, room_id: str) -> bool:
    try:
        facts = signing.loads(ticket, salt=SALT, max_age=SECONDS)
    except signing.BadSignature:
        return False
    return bool(facts == [session_id(session_key), room_id])
