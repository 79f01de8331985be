"""A one-time link that signs a person in, as `manage.py demo` and `make run` print it."""

from __future__ import annotations

from django.db import models

from identity.models.owner import Owner


class SignInLink(models.Model):
    token_hash = models.CharField(max_length=64, primary_key=True)
    owner = models.ForeignKey(Owner, on_delete=models.CASCADE, related_name="+")
    created_at = models.DateTimeField(auto_now_add=True)
    used_at = models.DateTimeField(null=True, blank=True)

    def __str__(self) -> str:
        return f"link of {self.owner_id}"
