"""Jobs of identity: clear away ended sessions and spent links."""

from __future__ import annotations

from celery import shared_task

from agentroom.core.background import drain
from identity.actors import SystemActor
from identity.operations.upkeep import clear_away


@shared_task(name="identity.clear_away")
def clear_away_all() -> None:
    drain(lambda: clear_away(SystemActor()).cleared)
