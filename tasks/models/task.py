"""A task: one row, one status, at most one holder; the table itself states what may never be."""

from __future__ import annotations

from collections.abc import Iterable

from django.db import models
from django.db.models import Q

from agentroom.core.ids import ulid
from identity.models import Agent, Owner
from rooms.models import Room
from tasks.lifecycle import CLOSED, HELD, IN_LANES, Status


def _names(statuses: Iterable[Status]) -> list[str]:
    return sorted(status.value for status in statuses)


class LockPolicy(models.TextChoices):
    HARD = "hard", "Hard: only a human moves it on"
    LEASE = "lease", "Lease: may be reclaimed when its lease ends"


class Consent(models.TextChoices):
    AUTO = "auto", "Same owner"
    ACCEPTED = "accepted", "Another owner, Trust on"


class Task(models.Model):
    """`fence` grows by one at each change of hands. `holder_instance` is set exactly while somebody holds the lock.

    `ready_generation` counts how often the task became ready, so that each time rings once. `ready_since` is the last
    time its assignee could begin to take it; null while it waits for another task. `progress_at` is the
    holder's last record: what tells a working holder from one that merely renews. `stale_noticed` is the beginning of
    the stale episode that people were told of last.
    """

    id = models.CharField(max_length=26, primary_key=True, default=ulid, editable=False)
    # The indexes below serve every read; one on each key would cost each write and serve nobody.
    room = models.ForeignKey(Room, on_delete=models.PROTECT, related_name="tasks", db_index=False)
    title = models.CharField(max_length=200)
    definition_of_done = models.TextField()
    detail = models.TextField(default="", blank=True)
    spec_ref = models.CharField(max_length=600, default="", blank=True)
    order = models.BigIntegerField(default=0)
    status = models.CharField(max_length=9, default=Status.TODO.value)
    reason = models.CharField(max_length=500, default="", blank=True)

    creator_agent = models.ForeignKey(Agent, on_delete=models.PROTECT, null=True, related_name="+", db_index=False)
    creator_owner = models.ForeignKey(Owner, on_delete=models.PROTECT, null=True, related_name="+", db_index=False)
    assignee = models.ForeignKey(Agent, on_delete=models.PROTECT, null=True, related_name="tasks", db_index=False)
    consent = models.CharField(max_length=8, choices=Consent.choices, default=Consent.AUTO)
    lock_policy = models.CharField(max_length=5, choices=LockPolicy.choices, default=LockPolicy.HARD)
    deadline = models.DateTimeField(null=True, blank=True)

    fence = models.PositiveIntegerField(default=0)
    attempt = models.PositiveIntegerField(default=0)
    holder_instance = models.CharField(max_length=64, default="", blank=True)
    locked_at = models.DateTimeField(null=True)
    lease_expires_at = models.DateTimeField(null=True)
    progress_at = models.DateTimeField(null=True)
    ready_since = models.DateTimeField(null=True)
    ready_generation = models.PositiveIntegerField(default=0)
    stale_noticed = models.DateTimeField(null=True, blank=True)

    revision = models.PositiveIntegerField(default=1)
    created_at = models.DateTimeField()
    updated_at = models.DateTimeField()
    finished_at = models.DateTimeField(null=True)
    archived_at = models.DateTimeField(null=True)

    class Meta:
        constraints = [
            models.CheckConstraint(condition=Q(status__in=_names(Status)), name="task_status_known"),
            models.CheckConstraint(
                condition=Q(holder_instance="", locked_at__isnull=True, lease_expires_at__isnull=True)
                | (
                    ~Q(holder_instance="")
                    & Q(locked_at__isnull=False, lease_expires_at__isnull=False, assignee__isnull=False)
                    & Q(fence__gte=1, status__in=_names(HELD))
                ),
                name="task_lock_is_whole",
            ),
            models.CheckConstraint(
                condition=~Q(status=Status.DOING.value) | ~Q(holder_instance=""), name="task_doing_is_held"
            ),
            models.CheckConstraint(
                condition=Q(status__in=_names(CLOSED), finished_at__isnull=False)
                | (~Q(status__in=_names(CLOSED)) & Q(finished_at__isnull=True)),
                name="task_closed_has_time",
            ),
            models.CheckConstraint(
                condition=Q(archived_at__isnull=True) | Q(status__in=_names(CLOSED)),
                name="task_archived_is_closed",
            ),
            models.CheckConstraint(
                condition=Q(creator_agent__isnull=False, creator_owner__isnull=True)
                | Q(creator_agent__isnull=True, creator_owner__isnull=False),
                name="task_has_one_creator",
            ),
            models.CheckConstraint(
                condition=Q(lock_policy="hard") | Q(deadline__isnull=False), name="lease_task_has_deadline"
            ),
        ]
        indexes = [
            models.Index(fields=["room", "-id"], name="task_of_room"),
            # Open work first: the board must not pay for what is long done (performance.md 3).
            models.Index(
                fields=["room", "assignee", "order"],
                condition=Q(archived_at__isnull=True, status__in=_names(IN_LANES)),
                name="task_open_by_lane",
            ),
            models.Index(
                fields=["room", "-finished_at", "-id"],
                condition=Q(archived_at__isnull=True),
                name="task_by_finish",
            ),
            models.Index(
                fields=["assignee", "room"],
                condition=Q(status__in=["todo", "doing", "blocked"]),
                name="task_open_of_agent",
            ),
        ]

    def __str__(self) -> str:
        return self.title

    @property
    def is_final(self) -> bool:
        return self.status == Status.DONE

    @property
    def is_closed(self) -> bool:
        return self.status in CLOSED
