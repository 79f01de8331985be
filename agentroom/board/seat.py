"""A person's seat in a room: who looks, and what they may do there."""

from __future__ import annotations

from dataclasses import dataclass

from identity.actors import HumanActor
from rooms.access import Standing, standing_in
from rooms.models import Room


@dataclass(frozen=True, slots=True)
class Seat:
    actor: HumanActor
    standing: Standing

    @property
    def room(self) -> Room:
        return self.standing.room

    @property
    def administers(self) -> bool:
        return self.standing.administers


def seat_in(actor: HumanActor, room_id: str) -> Seat:
    return Seat(actor, standing_in(actor, room_id))
