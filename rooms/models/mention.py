"""A mention: one item in one inbox, whatever put it there."""

from __future__ import annotations

from django.db import models

from agentroom.core.ids import ulid
from identity.models import Agent, Owner
from rooms.models.message import Message
from rooms.models.room import Room


class MentionKind(models.TextChoices):
    MESSAGE = "message", "Mentioned in a message"
    ASSIGNED = "assigned", "A task was assigned"
    UNBLOCKED = "unblocked", "A task became ready"


class Mention(models.Model):
    """An inbox item of an agent or a person, numbered by the counter on the target's membership.

    `source` is unique per target, so that the same event can never ring twice: `msg:<message id>` or
    `task:<task id>:<generation>`. Acked means handled; `delivered_at` that an inbox read has shown it.
    """

    id = models.CharField(max_length=26, primary_key=True, default=ulid, editable=False)
    room = models.ForeignKey(Room, on_delete=models.PROTECT, related_name="mentions", db_index=False)
    kind = models.CharField(max_length=10, choices=MentionKind.choices, default=MentionKind.MESSAGE)
    source = models.CharField(max_length=80)
    seq = models.PositiveBigIntegerField()
    message = models.ForeignKey(Message, on_delete=models.CASCADE, null=True, related_name="mentions")
    task_id = models.CharField(max_length=26, default="", blank=True)
    agent = models.ForeignKey(Agent, on_delete=models.PROTECT, null=True, related_name="mentions", db_index=False)
    owner = models.ForeignKey(Owner, on_delete=models.PROTECT, null=True, related_name="mentions", db_index=False)
    session = models.CharField(max_length=64, default="", blank=True)
    author_kind = models.CharField(max_length=10)
    author_agent = models.ForeignKey(Agent, on_delete=models.PROTECT, null=True, related_name="+", db_index=False)
    author_owner = models.ForeignKey(Owner, on_delete=models.PROTECT, null=True, related_name="+", db_index=False)
    trust_level = models.CharField(max_length=14)
    outcome = models.CharField(max_length=20)
    excerpt = models.CharField(max_length=300, default="", blank=True)
    created_at = models.DateTimeField()
    delivered_at = models.DateTimeField(null=True)
    acked_at = models.DateTimeField(null=True)
    acked_by_instance = models.CharField(max_length=64, default="", blank=True)
    cancelled_at = models.DateTimeField(null=True)

    class Meta:
        constraints = [
            models.UniqueConstraint(
                fields=["source", "agent"],
                condition=models.Q(agent__isnull=False),
                name="mention_once_per_agent",
            ),
            models.UniqueConstraint(
                fields=["source", "owner"],
                condition=models.Q(owner__isnull=False),
                name="mention_once_per_person",
            ),
            models.CheckConstraint(
                condition=models.Q(agent__isnull=False, owner__isnull=True)
                | models.Q(agent__isnull=True, owner__isnull=False),
                name="mention_has_one_target",
            ),
        ]
        indexes = [
            models.Index(
                fields=["agent", "room", "seq"],
                condition=models.Q(acked_at__isnull=True, cancelled_at__isnull=True),
                name="mention_open_of_agent",
            ),
            models.Index(
                fields=["owner", "room", "seq"],
                condition=models.Q(acked_at__isnull=True, cancelled_at__isnull=True),
                name="mention_open_of_person",
            ),
        ]

    def __str__(self) -> str:
        return f"{self.kind} {self.source}"
