"""Who runs a periodic job this time: of all beats and web processes, the one that moves its slot on."""

from __future__ import annotations

from datetime import timedelta

from agentroom.core.clock import db_now
from agentroom.core.models import Slot

# Beats jitter: a tick that comes a little early is still the next tick, a second beat's copy is not.
JITTER = 0.8


def claim_slot(name: str, seconds: float, *, grace: float = 0) -> bool:
    """Whether this caller runs `name` now: at most one does in each `seconds`.

    With `grace` the caller steps in only when nobody has run it for that much longer than it is due.
    """
    now = db_now()
    due = now - timedelta(seconds=seconds * JITTER + grace)
    if Slot.objects.filter(name=name, at__lte=due).update(at=now):
        return True
    if Slot.objects.filter(name=name).exists():
        return False
    _, made = Slot.objects.get_or_create(name=name, defaults={"at": now})
    return made


def mark(name: str) -> None:
    """Note that `name` is alive now."""
    Slot.objects.update_or_create(name=name, defaults={"at": db_now()})


def ages() -> dict[str, float]:
    """Seconds since each slot was last taken."""
    now = db_now()
    return {slot.name: max(0.0, (now - slot.at).total_seconds()) for slot in Slot.objects.all()}
