"""Rows that every domain shares: receipts of repeated calls, immutable revisions, the change feed, the audit chains."""

from __future__ import annotations

from django.db import models


class IdempotentReceipt(models.Model):
    """The first answer to (actor, operation, key), written in the transaction of the work itself."""

    actor_key = models.CharField(max_length=80)
    operation = models.CharField(max_length=64)
    key = models.CharField(max_length=128)
    digest = models.CharField(max_length=64)
    answer = models.JSONField(null=True)
    created_at = models.DateTimeField()

    class Meta:
        constraints = [
            models.UniqueConstraint(fields=["actor_key", "operation", "key"], name="receipt_once_per_key"),
        ]
        indexes = [models.Index(fields=["created_at"], name="receipt_by_age")]

    def __str__(self) -> str:
        return f"{self.operation} {self.key}"


class Revision(models.Model):
    """One immutable snapshot of a task, room or notebook, numbered from 1 without gaps."""

    kind = models.CharField(max_length=20)
    record_id = models.CharField(max_length=40)
    revision = models.PositiveIntegerField()
    room_id = models.CharField(max_length=26)
    data = models.JSONField()
    created_at = models.DateTimeField()

    class Meta:
        constraints = [
            models.UniqueConstraint(fields=["record_id", "kind", "revision"], name="revision_once"),
        ]
        indexes = [models.Index(fields=["room_id", "created_at"], name="revision_by_room_age")]

    def __str__(self) -> str:
        return f"{self.kind} {self.record_id} r{self.revision}"


class ChangeFeed(models.Model):
    """What changed in a room, in commit order: `seq` is a counter on the room row (reliability F1)."""

    room_id = models.CharField(max_length=26)
    seq = models.PositiveBigIntegerField()
    kind = models.CharField(max_length=20)
    record_id = models.CharField(max_length=40)
    revision = models.PositiveIntegerField()
    created_at = models.DateTimeField()

    class Meta:
        constraints = [models.UniqueConstraint(fields=["room_id", "seq"], name="feed_seq_once_per_room")]

    def __str__(self) -> str:
        return f"{self.room_id} #{self.seq}"


class AuditChain(models.Model):
    """The head of a hash chain that has no room to live on: today only the server's own."""

    name = models.CharField(max_length=26, primary_key=True)
    seq = models.PositiveBigIntegerField(default=0)
    head = models.CharField(max_length=64)

    def __str__(self) -> str:
        return self.name


class AuditRow(models.Model):
    """Who did what to which record. Append-only by trigger on both databases; hash-chained per room and server."""

    chain = models.CharField(max_length=26)
    seq = models.PositiveBigIntegerField()
    at = models.DateTimeField()
    actor_kind = models.CharField(max_length=10)
    actor_key = models.CharField(max_length=80)
    act = models.CharField(max_length=40)
    record_kind = models.CharField(max_length=20)
    record_id = models.CharField(max_length=60)
    before = models.JSONField(default=dict)
    after = models.JSONField(default=dict)
    request_id = models.CharField(max_length=40)
    previous_hash = models.CharField(max_length=64)
    hash = models.CharField(max_length=64)

    class Meta:
        constraints = [models.UniqueConstraint(fields=["chain", "seq"], name="audit_seq_once_per_chain")]
        indexes = [models.Index(fields=["record_id"], name="audit_by_record")]

    def __str__(self) -> str:
        return f"{self.chain} #{self.seq} {self.act}"


class Slot(models.Model):
    """When a periodic job last began, so that two beats, or a beat and a web process, run it once (core/slots.py)."""

    name = models.CharField(max_length=64, primary_key=True)
    at = models.DateTimeField()

    def __str__(self) -> str:
        return f"{self.name} {self.at:%FT%TZ}"
