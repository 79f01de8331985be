"""Who is in a room, as others address them: its agents, its people, and which instances are live."""

from __future__ import annotations

from collections import defaultdict
from collections.abc import Iterable
from datetime import datetime

from django.db.models import QuerySet

from agentroom.core.errors import NotFound
from agentroom.core.limits import INSTANCE_LIVE
from identity.models import Agent, Instance, Owner
from rooms.models import Room

Plate = str


def agents_in(room: Room) -> QuerySet[Agent]:
    """The agents that can be addressed here, with their owners: present and not revoked."""
    return (
        Agent.objects.filter(memberships__room=room, memberships__left_at=None, revoked_at=None)
        .select_related("owner")
        .order_by("pk")
    )


def agent_in(room: Room, plate: Plate) -> Agent:
    """The agent with this plate, or `NotFound` when it is not in the room."""
    agent = agents_in(room).filter(plate=plate).first()
    if agent is None:
        raise NotFound("No agent with this plate is in the room. `list_members` shows who is.")
    return agent


def people_in(room: Room) -> QuerySet[Owner]:
    """The people who belong to the room now."""
    return Owner.objects.filter(memberships__room=room, memberships__left_at=None, is_active=True).order_by("pk")


def live_instances(agent_ids: Iterable[str], now: datetime) -> dict[str, list[Instance]]:
    """The live instances of each agent, seen last first. An agent without one is absent."""
    live: dict[str, list[Instance]] = defaultdict(list)
    found = Instance.objects.filter(agent_id__in=list(agent_ids), last_seen_at__gt=now - INSTANCE_LIVE)
    for instance in found.order_by("-last_seen_at", "name"):
        live[instance.agent_id].append(instance)
    return dict(live)
