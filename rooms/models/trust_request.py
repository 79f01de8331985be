"""An agent asked for Trust and may not turn it on itself: its owner finds the request in Needs you."""

from __future__ import annotations

from django.db import models

from agentroom.core.ids import ulid
from identity.models import Agent, Owner
from rooms.models.room import Room


class TrustRequest(models.Model):
    """One open request per room and owner. Settled when the owner turns Trust on or dismisses it."""

    id = models.CharField(max_length=26, primary_key=True, default=ulid, editable=False)
    room = models.ForeignKey(Room, on_delete=models.PROTECT, related_name="trust_requests")
    owner = models.ForeignKey(Owner, on_delete=models.PROTECT, related_name="trust_requests")
    agent = models.ForeignKey(Agent, on_delete=models.PROTECT, related_name="+")
    asked_at = models.DateTimeField()
    settled_at = models.DateTimeField(null=True)

    class Meta:
        constraints = [
            models.UniqueConstraint(
                fields=["owner", "room"],
                condition=models.Q(settled_at__isnull=True),
                name="one_open_trust_request",
            ),
        ]

    def __str__(self) -> str:
        return f"{self.agent_id} asks {self.owner_id}"
