"""What tasks add to room context: the caller's own work and the latest letter to it; and what rooms ask of tasks."""

from __future__ import annotations

from typing import Any

from django.db.models import Max, Q

from agentroom.core.clock import db_now
from agentroom.core.limits import KIB, PAGE
from agentroom.core.pages import fitted
from identity.actors import Actor, AgentActor
from rooms import context, work
from rooms.access import Standing
from rooms.ledger import ContextClass
from tasks.board import contacts_in
from tasks.dependencies import prerequisites_by_task, prerequisites_of
from tasks.handoff import payload_of
from tasks.lifecycle import OPEN, Status
from tasks.models import Task
from tasks.outputs import Payload
from tasks.projection import Contact, staleness
from tasks.views import state_of

ACTIVE_BYTES = 20 * KIB


def _active_tasks(standing: Standing, actor: Actor) -> list[dict[str, Any]]:
    """The caller's open tasks in this room, with lock and stale state, in the order of its lane."""
    if not isinstance(actor, AgentActor):
        return []
    mine = list(_active(standing, actor).select_related("assignee").order_by("order", "pk")[:PAGE])
    waits_for = prerequisites_by_task(task.pk for task in mine)
    contact = contacts_in(standing.room.pk).get(actor.agent_id, Contact())
    now = db_now()
    states = [state_of(task, waits_for.get(task.pk, ()), actor, staleness(task, now, contact)) for task in mine]
    return [state.wire() for state in fitted(states, budget=ACTIVE_BYTES)]


def _handoff(standing: Standing, actor: Actor) -> Payload | None:
    """The caller's task that a prerequisite was last finished for, with every letter to it whole."""
    if not isinstance(actor, AgentActor):
        return None
    finished = Max("dependencies__prerequisite__finished_at", filter=Q(dependencies__prerequisite__status=Status.DONE))
    task = _active(standing, actor).annotate(letter=finished).exclude(letter=None).order_by("-letter", "pk").first()
    return None if task is None else payload_of(task, prerequisites_of(task.pk))


def _active(standing: Standing, actor: AgentActor) -> Any:
    return Task.objects.filter(assignee_id=actor.agent_id, room=standing.room, status__in=sorted(OPEN))


def _exists(room_id: str, task_id: str) -> bool:
    return Task.objects.filter(pk=task_id, room_id=room_id).exists()


def _held(room_id: str) -> dict[tuple[str, str], str]:
    """Which task each instance works on; with several, the one it took last."""
    doing = Task.objects.filter(room_id=room_id, archived_at=None, status=Status.DOING).order_by("locked_at", "pk")
    return {(agent, instance): pk for agent, instance, pk in doing.values_list("assignee_id", "holder_instance", "pk")}


context.register("active_tasks", [ContextClass.TASKS], _active_tasks)
context.register("handoff", [ContextClass.TASKS], _handoff)
work.register(exists=_exists, held=_held)
