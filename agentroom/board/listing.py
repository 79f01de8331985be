"""The rooms page: each room with what goes on in it, in two statements however many there are."""

from __future__ import annotations

from dataclasses import dataclass

from django.db.models import Count, Q

from identity.actors import HumanActor
from rooms.models import RoomStatus
from rooms.outputs import RoomItem
from rooms.queries.rooms import list_rooms
from tasks.lifecycle import Status
from tasks.models import Task


@dataclass(frozen=True, slots=True)
class Listed:
    room: RoomItem
    open: int
    doing: int
    stuck: int

    @property
    def is_archived(self) -> bool:
        return self.room.status == RoomStatus.ARCHIVED


def rooms_listed(actor: HumanActor) -> list[Listed]:
    found = _all_rooms(actor)
    counts = {
        room_id: numbers
        for room_id, *numbers in Task.objects.filter(room_id__in=[item.room for item in found], archived_at=None)
        .exclude(status__in=[Status.DONE, Status.CANCELLED])
        .values_list("room_id")
        .annotate(
            open=Count("pk"),
            doing=Count("pk", filter=Q(status=Status.DOING)),
            stuck=Count("pk", filter=Q(status__in=[Status.BLOCKED, Status.FAILED])),
        )
    }
    listed = [Listed(item, *counts.get(item.room, (0, 0, 0))) for item in found]
    return sorted(listed, key=lambda one: (one.is_archived, one.room.name.casefold()))


def _all_rooms(actor: HumanActor) -> list[RoomItem]:
    page = list_rooms(actor)
    found = list(page.rooms)
    while page.next is not None:
        page = list_rooms(actor, after=page.next)
        found.extend(page.rooms)
    return found
