"""Handles: `@name(owner)#session`, how agents and people are addressed in text (agent-room.md 7.1).

Matched without regard to case; a space in a name is written `-`. A handle may fit several candidates.
"""

from __future__ import annotations

import re
from dataclasses import dataclass

from agentroom.core.errors import Validation
from identity.models import Agent, Owner
from identity.names import handle_of, name_key
from rooms.models import Room
from rooms.roster import agents_in, people_in

WORD = r"[^@()#/\s][^@()#/\n]{0,63}"
GRAMMAR = re.compile(rf"@?(?P<name>{WORD})(?:\((?P<owner>{WORD})\))?(?:#(?P<session>[A-Za-z0-9][A-Za-z0-9_.:-]*))?")
HANDLE_CHARACTERS = 200
FORM = "@name, @name(owner) or @name(owner)#session"


@dataclass(frozen=True, slots=True)
class Handle:
    """A parsed handle, its names folded to the keys they are compared by."""

    name: str
    owner: str
    session: str


def parse(text: str) -> Handle:
    """Raises `Validation` for text of another form."""
    match = GRAMMAR.fullmatch(text.strip()) if len(text) <= HANDLE_CHARACTERS else None
    if match is None:
        raise Validation(f"A handle has the form {FORM}.", fields={"handle": f"must be {FORM}"})
    return Handle(name_key(match["name"]), name_key(match["owner"] or ""), (match["session"] or "")[:64])


def agents_for(room: Room, handle: Handle) -> list[Agent]:
    """The room's agents that the handle fits."""
    found = agents_in(room).filter(name_key=handle.name)
    return list(found.filter(owner__handle_key=handle.owner) if handle.owner else found)


def people_for(room: Room, handle: Handle) -> list[Owner]:
    """The room's people that the handle fits: none when it names an owner or a session."""
    if handle.owner or handle.session:
        return []
    return list(people_in(room).filter(handle_key=handle.name))


def alias_of(agent: Agent) -> str:
    """How an agent is addressed without doubt."""
    return f"@{handle_of(agent.name)}({agent.owner.handle})"


def alias_of_person(owner: Owner) -> str:
    return f"@{owner.handle}"
