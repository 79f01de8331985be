"""News leaves after the commit, carries ids only, and may be lost: rows tell the truth, events only nudge."""

from __future__ import annotations

import logging
from collections.abc import Callable
from dataclasses import asdict, dataclass

from django.db import transaction

from agentroom.core.layer import publish_group

logger = logging.getLogger(__name__)


@dataclass(frozen=True, slots=True)
class RoomEvent:
    """Something changed in a room: its kind and the room's change counter at that change. No content, ever."""

    room_id: str
    kind: str
    seq: int

    def message(self) -> dict[str, object]:
        return {"type": "room.changed", **asdict(self)}


def room_group(room_id: str) -> str:
    return f"room.{room_id}"


def publish(event: RoomEvent) -> None:
    """Nudge whoever watches the room, once the transaction has committed."""
    after_commit(lambda: publish_group(room_group(event.room_id), event.message()))


def after_commit(callback: Callable[[], object]) -> None:
    """Run `callback` after the commit. Its failure is logged and never reaches the caller of a committed write.

    A closure rather than `on_commit(partial(…), robust=True)`, which itself crashes in Django 5.2 (reliability F8).
    """

    def quietly() -> None:
        try:
            callback()
        except Exception:
            logger.exception("an after-commit nudge failed; the sweep will find what it would have announced")

    transaction.on_commit(quietly)
