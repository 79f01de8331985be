"""Which instance calls, and when it was last seen (00-product.md, "Instance")."""

from __future__ import annotations

import threading
import time
from dataclasses import dataclass, replace

from django.db import transaction

from agentroom.core.clock import db_now
from identity.actors import AgentActor
from identity.models import Instance

# Presence is visibility only, so one row write per instance and half minute is enough.
SEEN_EVERY_SECONDS = 30.0
REMEMBERED = 10_000

_lock = threading.Lock()
_written: dict[tuple[str, str], float] = {}


@dataclass(frozen=True, slots=True)
class Hints:
    """What a caller says of itself. The passport's own instance claim outranks `instance_id`."""

    instance_id: str | None = None
    workspace: str | None = None


def seen(actor: AgentActor, hints: Hints) -> AgentActor:
    """The actor as the instance that calls; notes its presence now and then."""
    name = actor.instance_id if actor.instance_is_claimed else hints.instance_id or actor.instance_id
    actor = replace(actor, instance_id=name)
    if _is_due(actor.agent_id, name):
        _note(actor, hints.workspace or "")
    return actor


def forget_presence() -> None:
    """Write presence again at the next call of each instance; for tests that reset the database."""
    with _lock:
        _written.clear()


def _is_due(agent_id: str, name: str) -> bool:
    now = time.monotonic()
    with _lock:
        last = _written.get((agent_id, name))
        if last is not None and now - last < SEEN_EVERY_SECONDS:
            return False
        if len(_written) >= REMEMBERED:
            _written.clear()
        _written[agent_id, name] = now
        return True


def _note(actor: AgentActor, workspace: str) -> None:
    fields = {"last_seen_at": db_now(), "host": actor.host}
    if workspace:
        fields["workspace"] = workspace
    with transaction.atomic():
        if not Instance.objects.filter(agent_id=actor.agent_id, name=actor.instance_id).update(**fields):
            row = Instance(agent_id=actor.agent_id, credential_id=actor.credential_id, name=actor.instance_id, **fields)
            Instance.objects.bulk_create([row], ignore_conflicts=True)
