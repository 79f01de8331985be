"""The Ed25519 keys that sign passports; the private half is stored encrypted."""

from __future__ import annotations

from django.db import models

from agentroom.core.clock import db_now


class SigningKey(models.Model):
    """The newest key without `retired_at` signs; a retired one verifies until `refused_after`."""

    kid = models.CharField(max_length=64, primary_key=True)
    private_encrypted = models.BinaryField()
    public_raw = models.BinaryField()
    created_at = models.DateTimeField(default=db_now)
    retired_at = models.DateTimeField(null=True, blank=True)
    refused_after = models.DateTimeField(null=True, blank=True)

    def __str__(self) -> str:
        return self.kid
