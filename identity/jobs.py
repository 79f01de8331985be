"""Jobs of identity: clear away ended sessions, spent links, and receipts whose time is over; have a key."""

from __future__ import annotations

from celery import shared_task

from agentroom.core.background import drain
from identity.actors import SystemActor
from identity.operations.keys import make_first_key
from identity.operations.upkeep import clear_away, forget_receipts


@shared_task(name="identity.clear_away")
def clear_away_all() -> None:
    drain(lambda: clear_away(SystemActor()).cleared)


@shared_task(name="identity.forget_receipts")
def forget_all_receipts() -> None:
    drain(lambda: forget_receipts(SystemActor()).cleared)


@shared_task(name="identity.keep_a_key")
def keep_a_key() -> None:
    make_first_key(SystemActor())
