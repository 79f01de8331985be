"""The heartbeat of a holder. On hard tasks it only tells people that somebody is there."""

from __future__ import annotations

from datetime import datetime

from agentroom.core.clock import db_now
from agentroom.core.errors import Conflict
from agentroom.core.operation import operation
from agentroom.core.together import change_if
from identity.actors import AgentActor
from rooms import inbox
from tasks import leases
from tasks.access import seen, standing_at
from tasks.models import Task
from tasks.outputs import Renewal


@operation
def renew_lease(
    actor: AgentActor, *, task_id: str, instance_id: str | None = None, fence: int | None = None
) -> Renewal:
    """Extend the lease. No history and no lock but the row's own: beats come often and change nothing else."""
    task = seen(actor, task_id)
    if not task.room.is_active:
        standing_at(actor, task_id)
    instance = leases.instance_of(actor, instance_id)
    leases.require_holder(actor, task, instance=instance, fence=fence)
    expires = leases.lease_from(db_now())
    if not task.holder_instance or not _extended(task, expires):
        task.refresh_from_db()
        leases.require_holder(actor, task, instance=instance, fence=fence)
        raise Conflict(f"This task is {task.status}: there is no lease to renew.", task_status=task.status)
    return Renewal(lease_expires_at=expires, fence=task.fence, pending=inbox.pending(actor))


def _extended(task: Task, expires: datetime) -> bool:
    """Guarded by the hold itself: whoever took, gave up or ended it meanwhile was faster."""
    return change_if(task, {"lease_expires_at": expires}, still=("fence", "holder_instance"))
