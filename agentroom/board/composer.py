"""What stands below the talk: who can be told, and what telling them will do."""

from __future__ import annotations

import secrets
from dataclasses import dataclass
from typing import Any

from agentroom.board.seat import Seat
from agentroom.board.words import TOLD
from rooms.handles import alias_of, alias_of_person
from rooms.models import Member, Message
from rooms.roster import agents_in
from rooms.wakes.decide import Facts, outcome


@dataclass(frozen=True, slots=True)
class Addressee:
    """`value` is the structured target; `says` is the preview of the one wake decision."""

    value: str
    name: str
    says: str


def composer(seat: Seat, *, body: str = "", ticked: tuple[str, ...] = (), reply: str = "") -> dict[str, Any]:
    """What `_composer.html` needs."""
    return {
        "addressees": addressees(seat),
        "body": body,
        "ticked": ticked,
        "key": secrets.token_urlsafe(16),
        "reply": Message.objects.filter(room=seat.room, pk=reply).first() if reply else None,
    }


def addressees(seat: Seat) -> list[Addressee]:
    """Everyone in the room but oneself: agents first, by name."""
    members = Member.objects.filter(room=seat.room, left_at=None, owner__is_active=True).select_related("owner")
    trusting = {member.owner_id for member in members if member.trusts_others}
    agents = sorted(agents_in(seat.room), key=lambda agent: agent.name_key)
    people = [member.owner for member in members if member.owner_id != seat.actor.owner_id]
    found = [
        Addressee(f"plate:{agent.plate}", alias_of(agent)[1:], _preview(seat, agent, agent.owner_id in trusting))
        for agent in agents
    ]
    return found + [Addressee(f"human:{person.pk}", alias_of_person(person)[1:], "gets it here") for person in people]


def _preview(seat: Seat, agent: Any, owner_trusts: bool) -> str:
    allowed = owner_trusts or agent.owner_id == seat.actor.owner_id
    facts = Facts(allowed=allowed, scopes=agent.granted, host=agent.host, room_is_active=seat.room.is_active)
    return TOLD[outcome(facts)]
