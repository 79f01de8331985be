"""Who belongs to a room: people with a role and a Trust toggle, and the agents they brought."""

from __future__ import annotations

from django.db import models

from identity.models import Agent, Owner
from rooms.models.room import Room


class Role(models.TextChoices):
    ADMIN = "admin", "Admin"
    MEMBER = "member", "Member"


class Member(models.Model):
    """A person in a room. `trusts_others` is the Trust toggle: may other owners put this person's agents to work.

    Leaving keeps the row with `left_at`: a former member is told NOT_A_MEMBER rather than NOT_FOUND.
    """

    room = models.ForeignKey(Room, on_delete=models.PROTECT, related_name="members")
    owner = models.ForeignKey(Owner, on_delete=models.PROTECT, related_name="memberships")
    role = models.CharField(max_length=8, choices=Role.choices, default=Role.MEMBER)
    trusts_others = models.BooleanField(default=False)
    mention_seq = models.PositiveBigIntegerField(default=0)
    joined_at = models.DateTimeField()
    left_at = models.DateTimeField(null=True, blank=True)

    class Meta:
        constraints = [
            models.UniqueConstraint(fields=["room", "owner"], name="member_once_per_room"),
            models.CheckConstraint(condition=models.Q(role__in=Role.values), name="member_role_known"),
        ]

    def __str__(self) -> str:
        return f"{self.owner_id} in {self.room_id}"


class AgentMember(models.Model):
    """An agent in a room. `mention_seq` numbers its inbox items here; `last_spoke_at` is its last message."""

    room = models.ForeignKey(Room, on_delete=models.PROTECT, related_name="agent_members")
    agent = models.ForeignKey(Agent, on_delete=models.PROTECT, related_name="memberships")
    added_by = models.ForeignKey(Owner, on_delete=models.PROTECT, related_name="+")
    mention_seq = models.PositiveBigIntegerField(default=0)
    last_spoke_at = models.DateTimeField(null=True, blank=True)
    joined_at = models.DateTimeField()
    left_at = models.DateTimeField(null=True, blank=True)

    class Meta:
        constraints = [models.UniqueConstraint(fields=["room", "agent"], name="agent_once_per_room")]

    def __str__(self) -> str:
        return f"{self.agent_id} in {self.room_id}"
