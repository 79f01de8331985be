"""An invite: single use, expiring, issued and accepted by people only."""

from __future__ import annotations

from django.db import models

from agentroom.core.ids import ulid
from identity.models import Owner
from rooms.models.membership import Role
from rooms.models.room import Room


class InviteKind(models.TextChoices):
    EMAIL = "human_email", "By e-mail"
    LINK = "human_link", "By link"
    PLATE = "agent_plate", "By plate"


class InviteState(models.TextChoices):
    PENDING = "pending", "Pending"
    ACCEPTED = "accepted", "Accepted"
    REVOKED = "revoked", "Revoked"


class Invite(models.Model):
    """`target` is an e-mail address or a plate. Expired is computed: pending and past `expires_at`.

    `mail_token_encrypted` holds the token only until the invite has been mailed.
    """

    id = models.CharField(max_length=26, primary_key=True, default=ulid, editable=False)
    room = models.ForeignKey(Room, on_delete=models.PROTECT, related_name="invites")
    kind = models.CharField(max_length=12, choices=InviteKind.choices)
    target = models.CharField(max_length=254, default="", blank=True)
    role = models.CharField(max_length=8, choices=Role.choices, default=Role.MEMBER)
    token_hash = models.CharField(max_length=64, unique=True)
    mail_token_encrypted = models.BinaryField(default=b"", blank=True)
    state = models.CharField(max_length=8, choices=InviteState.choices, default=InviteState.PENDING)
    created_by = models.ForeignKey(Owner, on_delete=models.PROTECT, related_name="+")
    created_at = models.DateTimeField()
    expires_at = models.DateTimeField()
    accepted_by = models.ForeignKey(Owner, on_delete=models.PROTECT, null=True, related_name="+")
    accepted_at = models.DateTimeField(null=True)

    class Meta:
        constraints = [
            models.CheckConstraint(
                condition=models.Q(state="accepted", accepted_at__isnull=False)
                | (~models.Q(state="accepted") & models.Q(accepted_at__isnull=True)),
                name="invite_accepted_has_time",
            ),
        ]
        indexes = [
            models.Index(fields=["target"], name="invite_by_target"),
            models.Index(
                fields=["created_at"], condition=~models.Q(mail_token_encrypted=b""), name="invite_to_be_mailed"
            ),
        ]

    def __str__(self) -> str:
        return f"{self.kind} to {self.room_id}"
