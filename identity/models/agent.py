"""An agent: a plate, a name under one owner, and what its passports may do."""

from __future__ import annotations

from django.db import models

from agentroom.core import ids
from agentroom.core.clock import db_now
from agentroom.core.scopes import ALL, DEFAULT, Scope
from identity.models.owner import Owner


class Host(models.TextChoices):
    """Which runtime an agent connects from (agent-room.md 6.9)."""

    CLAUDE = "claude", "Claude Code"
    CODEX = "codex", "Codex"
    OPENCLAW = "openclaw", "OpenClaw"
    HERMES = "hermes", "Hermes"
    GENERIC = "generic", "Another MCP client"


class Agent(models.Model):
    """`plate` is public, unique and never reused: agents are revoked, not deleted."""

    id = models.CharField(max_length=26, primary_key=True, default=ids.ulid, editable=False)
    plate = models.CharField(max_length=32, unique=True, default=ids.plate, editable=False)
    owner = models.ForeignKey(Owner, on_delete=models.PROTECT, related_name="agents")
    name = models.CharField(max_length=64)
    name_key = models.CharField(max_length=64, editable=False)
    host = models.CharField(max_length=16, choices=Host.choices, default=Host.GENERIC)
    scopes = models.PositiveSmallIntegerField(default=int(DEFAULT))
    verified = models.BooleanField(default=False)
    may_turn_trust_on = models.BooleanField(default=False)
    created_at = models.DateTimeField(default=db_now)
    revoked_at = models.DateTimeField(null=True, blank=True)

    class Meta:
        constraints = [
            models.UniqueConstraint(fields=["owner", "name_key"], name="agent_name_once_per_owner"),
            models.CheckConstraint(condition=models.Q(scopes__gte=0, scopes__lte=int(ALL)), name="agent_scopes_known"),
        ]

    def __str__(self) -> str:
        return f"{self.name} ({self.plate})"

    @property
    def granted(self) -> Scope:
        return Scope(self.scopes)
