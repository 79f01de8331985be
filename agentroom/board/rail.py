"""The rail beside every page: the person's rooms and the pages that span them."""

from __future__ import annotations

from typing import Any

from django.http import HttpRequest

from identity.sessions import human_of
from rooms.access import rooms_of
from rooms.models import RoomStatus

MOST = 30


def rail_of(request: HttpRequest) -> dict[str, Any]:
    rooms = rooms_of(human_of(request)).exclude(status=RoomStatus.ARCHIVED).order_by("name")
    return {
        "request": request,
        "path": request.path,
        "rooms": [
            {"id": pk, "name": name, "status": status, "here": request.path.startswith(f"/rooms/{pk}")}
            for pk, name, status in rooms.values_list("pk", "name", "status")[:MOST]
        ],
    }
