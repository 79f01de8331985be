"""A room: private, with its own counters. Every room-scoped write locks this row first."""

from __future__ import annotations

from django.db import models

from agentroom.core.digest import GENESIS
from agentroom.core.ids import ulid
from identity.models import Owner


class RoomStatus(models.TextChoices):
    ACTIVE = "active", "Active"
    PAUSED = "paused", "Paused"
    STOPPED = "stopped", "Stopped"
    ARCHIVED = "archived", "Archived"


class Room(models.Model):
    """The cursors are columns here, moved under the row's lock in the transaction of the change (reliability F1).

    `message_seq` numbers messages, `board_version` stored changes of tasks, `context_version` changes of durable
    context (with the last version of each class in `context_classes`), `feed_seq` the change feed, `audit_*` the
    room's audit chain.
    """

    id = models.CharField(max_length=26, primary_key=True, default=ulid, editable=False)
    name = models.CharField(max_length=64)
    status = models.CharField(max_length=10, choices=RoomStatus.choices, default=RoomStatus.ACTIVE)
    created_by = models.ForeignKey(Owner, on_delete=models.PROTECT, related_name="rooms_created")
    created_at = models.DateTimeField()
    revision = models.PositiveIntegerField(default=1)

    message_seq = models.PositiveBigIntegerField(default=0)
    board_version = models.PositiveBigIntegerField(default=0)
    context_version = models.PositiveBigIntegerField(default=0)
    context_classes = models.JSONField(default=dict)
    feed_seq = models.PositiveBigIntegerField(default=0)
    audit_seq = models.PositiveBigIntegerField(default=0)
    audit_head = models.CharField(max_length=64, default=GENESIS)

    document = models.TextField(default="", blank=True)
    document_version = models.PositiveIntegerField(default=0)

    workspace_path = models.CharField(max_length=500, default="", blank=True)
    workspace_url = models.CharField(max_length=500, default="", blank=True)
    workspace_branch = models.CharField(max_length=200, default="", blank=True)
    workspace_token_encrypted = models.BinaryField(default=b"", blank=True)
    workspace_token_tail = models.CharField(max_length=4, default="", blank=True)

    class Meta:
        constraints = [
            models.CheckConstraint(condition=models.Q(status__in=RoomStatus.values), name="room_status_known"),
        ]

    def __str__(self) -> str:
        return self.name

    @property
    def is_active(self) -> bool:
        return self.status == RoomStatus.ACTIVE
