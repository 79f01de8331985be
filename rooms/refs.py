"""Resolves `msg:<room>#<seq>`, the reference by which tasks cite a message."""

from __future__ import annotations

from agentroom.core import refs
from rooms.models import Message

SEQ_DIGITS = 15


def _message(room_id: str, rest: str) -> str | None:
    """Messages of the same room only; a retracted one is not readable any more."""
    room, hash_sign, seq = rest.partition("#")
    if not hash_sign or room.upper() != room_id or not (seq.isascii() and seq.isdigit() and len(seq) <= SEQ_DIGITS):
        return None
    if not Message.objects.filter(room_id=room_id, seq=int(seq), retracted_at=None).exists():
        return None
    return f"msg:{room_id}#{int(seq)}"


refs.register("msg", _message)
