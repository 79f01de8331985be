"""A message: never edited; a retracted one leaves its tombstone."""

from __future__ import annotations

from django.db import models

from agentroom.core.ids import ulid
from identity.models import Agent, Owner
from rooms.models.room import Room


class Message(models.Model):
    """Ordered by `seq`, a counter on the room. Exactly one of `agent` and `owner` wrote it.

    `targets` keeps the structured mentions as sent. `task_id` is a plain id: rooms know no tasks. Retracting empties
    the body.
    """

    id = models.CharField(max_length=26, primary_key=True, default=ulid, editable=False)
    # Reads go by (room, seq) or id only: an index on every key would cost each insert and serve nobody.
    room = models.ForeignKey(Room, on_delete=models.PROTECT, related_name="messages", db_index=False)
    seq = models.PositiveBigIntegerField()
    agent = models.ForeignKey(Agent, on_delete=models.PROTECT, null=True, related_name="+", db_index=False)
    owner = models.ForeignKey(Owner, on_delete=models.PROTECT, null=True, related_name="+", db_index=False)
    body = models.TextField()
    parent = models.ForeignKey("self", on_delete=models.SET_NULL, null=True, related_name="replies")
    task_id = models.CharField(max_length=26, default="", blank=True)
    targets = models.JSONField(default=list)
    created_at = models.DateTimeField()
    retracted_at = models.DateTimeField(null=True)
    retracted_by = models.CharField(max_length=80, default="", blank=True)

    class Meta:
        constraints = [
            models.UniqueConstraint(fields=["room", "seq"], name="message_seq_once_per_room"),
            models.CheckConstraint(
                condition=models.Q(agent__isnull=False, owner__isnull=True)
                | models.Q(agent__isnull=True, owner__isnull=False),
                name="message_has_one_author",
            ),
        ]
        indexes = [
            # Open pages ask which tombstones are new; retracting is rare, so this stays small.
            models.Index(
                fields=["room", "retracted_at"],
                condition=models.Q(retracted_at__isnull=False),
                name="message_retracted",
            ),
        ]

    def __str__(self) -> str:
        return f"{self.room_id} #{self.seq}"
