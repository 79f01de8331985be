"""Sections of room context: each app adds its own, and `get_room_context` puts them together.

The sections of rooms itself stand below; a section that an app registers later under the same name replaces it.
"""

from __future__ import annotations

from collections.abc import Callable, Iterable
from dataclasses import dataclass
from typing import Any

from agentroom.core.limits import RESULT_BYTES
from agentroom.core.outputs import Output
from identity.actors import Actor
from rooms.access import Standing
from rooms.ledger import ContextClass
from rooms.models import Notebook, Room
from rooms.policies import sees_workspace
from rooms.queries.members import members_of
from rooms.queries.rooms import is_cross_owner

ROOM_DOCUMENT = "ROOM.md"
ROSTER_BYTES = RESULT_BYTES // 2

# section(standing, actor) -> JSON-ready value or Output, or None for nothing to say.
Section = Callable[[Standing, Actor], Any]


@dataclass(frozen=True, slots=True)
class _Registered:
    classes: frozenset[ContextClass]
    section: Section


_sections: dict[str, _Registered] = {}


def register(name: str, classes: Iterable[ContextClass], section: Section) -> None:
    """Called in an app's `context.py`. `name` is the member of the answer; it is sent when one of `classes` moved."""
    _sections[name] = _Registered(frozenset(classes), section)


def assemble(standing: Standing, actor: Actor, changed: frozenset[ContextClass]) -> dict[str, Any]:
    """The sections that depend on one of the changed classes, by name, without the empty ones."""
    found = {
        name: known.section(standing, actor) for name, known in sorted(_sections.items()) if known.classes & changed
    }
    return {
        name: value.wire() if isinstance(value, Output) else value for name, value in found.items() if value is not None
    }


def document_entry(room: Room) -> list[dict[str, Any]]:
    """ROOM.md as the first entry of the file manifest, once somebody has written it."""
    if not room.document_version:
        return []
    return [{"path": ROOM_DOCUMENT, "version": room.document_version, "size_bytes": len(room.document.encode())}]


def _about(standing: Standing, actor: Actor) -> dict[str, Any]:
    room = standing.room
    return {"name": room.name, "status": room.status, "cross_owner": is_cross_owner(room.pk)}


def _focus(standing: Standing, actor: Actor) -> dict[str, Any]:
    notebook = Notebook.objects.get(room=standing.room)
    return {"objective": notebook.objective, "revision": notebook.revision}


def _roster(standing: Standing, actor: Actor) -> Output:
    return members_of(standing.room, budget=ROSTER_BYTES)


def _decisions(standing: Standing, actor: Actor) -> list[Any]:
    """Accepted human decisions; the notebook of this release holds none."""
    return []


def _files(standing: Standing, actor: Actor) -> list[dict[str, Any]]:
    return document_entry(standing.room)


def _workspace(standing: Standing, actor: Actor) -> dict[str, str] | None:
    """Path, address and branch for an admin's agent; never the token."""
    room = standing.room
    if not sees_workspace(standing) or not (room.workspace_path or room.workspace_url):
        return None
    pointer = {"path": room.workspace_path, "url": room.workspace_url, "branch": room.workspace_branch}
    return {name: value for name, value in pointer.items() if value}


register("about", [ContextClass.ROOM], _about)
register("focus", [ContextClass.FOCUS], _focus)
register("roster", [ContextClass.ROSTER], _roster)
register("decisions", [ContextClass.FOCUS], _decisions)
register("files", [ContextClass.FILES], _files)
register("workspace", [ContextClass.ROOM], _workspace)
