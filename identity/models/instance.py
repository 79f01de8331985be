"""An instance: one running copy of an agent, as its calls show it."""

from __future__ import annotations

from django.db import models

from agentroom.core.clock import db_now
from identity.models.agent import Agent
from identity.models.credential import Credential


class Instance(models.Model):
    """`name` is the `instance_id` of the wire, unique per agent.

    Each credential has one default instance; a caller that runs several copies names them by `instance_id`.
    """

    agent = models.ForeignKey(Agent, on_delete=models.CASCADE, related_name="instances")
    credential = models.ForeignKey(Credential, on_delete=models.CASCADE, null=True, related_name="instances")
    name = models.CharField(max_length=64)
    is_default = models.BooleanField(default=False)
    host = models.CharField(max_length=16, default="", blank=True)
    workspace = models.CharField(max_length=200, default="", blank=True)
    created_at = models.DateTimeField(default=db_now)
    last_seen_at = models.DateTimeField(null=True, blank=True)

    class Meta:
        constraints = [
            models.UniqueConstraint(fields=["agent", "name"], name="instance_name_once_per_agent"),
            models.UniqueConstraint(
                fields=["credential"],
                condition=models.Q(is_default=True),
                name="one_default_instance_per_credential",
            ),
        ]

    def __str__(self) -> str:
        return self.name
