"""A bearer credential of one agent: shown once, stored hashed, looked up by a public prefix."""

from __future__ import annotations

from django.db import models

from agentroom.core.clock import db_now
from agentroom.core.ids import ulid
from identity.models.agent import Agent, Host
from identity.models.owner import Owner


class Credential(models.Model):
    """`host` set: works at that host's resource and `/v1` only. Empty: at `/mcp` and `/v1` only."""

    id = models.CharField(max_length=26, primary_key=True, default=ulid, editable=False)
    agent = models.ForeignKey(Agent, on_delete=models.PROTECT, related_name="credentials")
    label = models.CharField(max_length=64, default="", blank=True)
    prefix = models.CharField(max_length=16, unique=True, editable=False)
    secret_hash = models.CharField(max_length=64, editable=False)
    host = models.CharField(max_length=16, choices=Host.choices, default="", blank=True)
    created_at = models.DateTimeField(default=db_now)
    created_by = models.ForeignKey(Owner, on_delete=models.PROTECT, related_name="+")
    revoked_at = models.DateTimeField(null=True, blank=True)

    def __str__(self) -> str:
        return self.label or self.prefix
