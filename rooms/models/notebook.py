"""The notebook of a room; its objective is the room's current focus."""

from __future__ import annotations

from django.db import models

from rooms.models.room import Room


class Notebook(models.Model):
    """One row per room, made with the room."""

    room = models.OneToOneField(Room, on_delete=models.PROTECT, primary_key=True, related_name="notebook")
    objective = models.TextField(default="", blank=True)
    revision = models.PositiveIntegerField(default=1)
    updated_at = models.DateTimeField()

    def __str__(self) -> str:
        return f"notebook of {self.room_id}"
