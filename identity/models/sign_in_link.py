"""A link that signs a person in once, as `manage.py demo` and `make run` print it."""

from __future__ import annotations

from django.db import models

from identity.models.owner import Owner


class SignInLink(models.Model):
    """Without `expires_at` it stays good until it is used or withdrawn."""

    token_hash = models.CharField(max_length=64, primary_key=True)
    owner = models.ForeignKey(Owner, on_delete=models.CASCADE, related_name="sign_in_links")
    created_at = models.DateTimeField()
    expires_at = models.DateTimeField(null=True)
    used_at = models.DateTimeField(null=True)

    def __str__(self) -> str:
        return f"link of {self.owner_id}"
