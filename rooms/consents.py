"""Consent verbs of earlier times: callable, unlisted, and never with anything to do."""

from __future__ import annotations

from agentroom.core.errors import Conflict
from identity.actors import AgentActor
from rooms.access import room_for
from rooms.outputs import NoConsents

NOTHING_PENDING = (
    "There is no pending consent: a task is accepted when it is made, or not made at all. "
    "Trust is turned by people in the room's settings."
)


def accept_task(actor: AgentActor, *, task_id: str) -> NoConsents:
    raise Conflict(NOTHING_PENDING)


def reject_task(actor: AgentActor, *, task_id: str, reason: str | None = None) -> NoConsents:
    raise Conflict(NOTHING_PENDING)


def list_pending_consents(actor: AgentActor, *, room: str) -> NoConsents:
    """Always empty, for whoever is in the room."""
    room_for(actor, room)
    return NoConsents(consents=[])
