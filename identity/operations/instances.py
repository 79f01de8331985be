"""Which instance calls, and when it was last seen (00-product.md, "Instance")."""

from __future__ import annotations

import logging
import threading
import time
from dataclasses import dataclass, replace

from django.db import DatabaseError

from agentroom.core.clock import db_now
from agentroom.core.limits import INSTANCES_PER_AGENT
from agentroom.core.operation import operation
from identity.actors import AgentActor
from identity.models import Instance
from identity.outputs import Presence

logger = logging.getLogger(__name__)

# Presence is visibility only, so one row write per instance and half minute is enough.
SEEN_EVERY_SECONDS = 30.0
REMEMBERED = 10_000

_lock = threading.Lock()
_written: dict[tuple[str, str, str], float] = {}


@dataclass(frozen=True, slots=True)
class Hints:
    """What a caller says of itself. The passport's own instance claim outranks `instance_id`."""

    instance_id: str | None = None
    workspace: str | None = None


def seen(actor: AgentActor, hints: Hints) -> AgentActor:
    """The actor as the instance that calls; notes its presence now and then."""
    name = actor.instance_id if actor.instance_is_claimed else hints.instance_id or actor.instance_id
    actor, workspace = replace(actor, instance_id=name), hints.workspace or ""
    if _is_due(actor.agent_id, name, workspace):
        try:
            note_presence(actor, workspace=workspace)
        except DatabaseError:
            # What the call itself needs of the database it will find out; presence is no reason to refuse it.
            logger.warning("presence could not be noted", exc_info=True)
    return actor


@operation
def note_presence(actor: AgentActor, *, workspace: str) -> Presence:
    """Write that an instance is here. Not audited: nothing is decided by it."""
    now = db_now()
    fields = {"last_seen_at": now, "host": actor.host, **({"workspace": workspace} if workspace else {})}
    if not Instance.objects.filter(agent_id=actor.agent_id, name=actor.instance_id).update(**fields):
        row = Instance(
            agent_id=actor.agent_id,
            credential_id=actor.credential_id,
            name=actor.instance_id,
            created_at=now,
            **fields,
        )
        Instance.objects.bulk_create([row], ignore_conflicts=True)
        _forget_oldest(actor.agent_id)
    return Presence(instance_id=actor.instance_id, last_seen_at=now)


def forget_presence() -> None:
    """Write presence again at the next call of each instance; for tests that reset the database."""
    with _lock:
        _written.clear()


def _is_due(agent_id: str, name: str, workspace: str) -> bool:
    now = time.monotonic()
    with _lock:
        last = _written.get((agent_id, name, workspace))
        if last is not None and now - last < SEEN_EVERY_SECONDS:
            return False
        if len(_written) >= REMEMBERED:
            _written.clear()
        _written[agent_id, name, workspace] = now
        return True


def _forget_oldest(agent_id: str) -> None:
    """A caller may invent a name per call; only the last so many are kept, and every default instance."""
    named = Instance.objects.filter(agent_id=agent_id, is_default=False).order_by("-last_seen_at", "-pk")
    surplus = list(named.values_list("pk", flat=True)[INSTANCES_PER_AGENT:])
    Instance.objects.filter(pk__in=surplus).delete()
