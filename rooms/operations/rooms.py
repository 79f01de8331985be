"""Making rooms and administering them: name, status, focus and ROOM.md. All of it is done by people."""

from __future__ import annotations

from typing import Any

from django.db import connection

from agentroom.core.audit import Act
from agentroom.core.clock import db_now
from agentroom.core.errors import Conflict, LimitReached, NotFound, Overtaken
from agentroom.core.limits import ROOMS_PER_OWNER
from agentroom.core.operation import operation
from identity.actors import AnyActor, HumanActor, SystemActor
from identity.models import Owner
from rooms.access import locked_rooms, standing_in
from rooms.ledger import Change, ContextClass, write
from rooms.membership import join
from rooms.models import Notebook, Role, Room, RoomStatus
from rooms.outputs import Document, FocusState, RoomState
from rooms.policies import require_admin
from rooms.states import state_of


@operation
def create_room(actor: HumanActor, *, name: str, objective: str = "", idempotency_key: str | None = None) -> RoomState:
    """Make a private room, its notebook with it, and its maker the admin."""
    _require_room_to_spare(actor.owner_id)
    now = db_now()
    room = Room.objects.create(name=name, created_by_id=actor.owner_id, created_at=now)
    notebook = Notebook.objects.create(room=room, objective=objective, updated_at=now)
    join(room, actor.owner_id, Role.ADMIN, now)
    act = Act(act="room.create", record_kind="room", record_id=room.pk, after={"status": room.status})
    first_note = Act(act="notebook.create", record_kind="notebook", record_id=room.pk)
    changes = [_changed(room, act), _noted(notebook, first_note)]
    write(room, actor, now, changes, context=[ContextClass.ROOM, ContextClass.FOCUS, ContextClass.ROSTER])
    return state_of(room)


@operation
def rename_room(actor: HumanActor, *, room: str, name: str, expected_revision: int | None = None) -> RoomState:
    """Give the room another name."""
    place = _administered(actor, room, "rename it", expected_revision)
    if place.name == name:
        return state_of(place)
    place.name = name
    _keep(place, actor, Act(act="room.rename", record_kind="room", record_id=place.pk), ["name"])
    return state_of(place)


@operation
def set_room_status(actor: HumanActor, *, room: str, status: str, expected_revision: int | None = None) -> RoomState:
    """Pause, stop, archive or open a room. Outside `active` its agents read and do not write."""
    place = _administered(actor, room, "change its status", expected_revision)
    if place.status == RoomStatus.ARCHIVED and status != RoomStatus.ARCHIVED:
        _require_room_to_spare(place.created_by_id)
    return _enter(place, actor, status)


@operation
def pause_room(actor: SystemActor, *, room: str) -> RoomState:
    """An operator of the server pauses a room without being in it."""
    found = locked_rooms(pk=room)
    if not found:
        raise NotFound("There is no such room.")
    return _enter(found[0], actor, RoomStatus.PAUSED) if found[0].is_active else state_of(found[0])


@operation
def resume_room(actor: SystemActor, *, room: str) -> RoomState:
    """An operator of the server makes a paused room active again; one that its people closed stays closed."""
    found = locked_rooms(pk=room)
    if not found:
        raise NotFound("There is no such room.")
    if found[0].status not in {RoomStatus.PAUSED, RoomStatus.ACTIVE}:
        raise Conflict(f"This room is {found[0].status}: its own admins decide whether it opens again.")
    return _enter(found[0], actor, RoomStatus.ACTIVE)


@operation
def edit_focus(actor: HumanActor, *, room: str, objective: str, expected_revision: int) -> FocusState:
    """Set the room's current focus: the objective of its notebook, at the revision the editor has seen."""
    standing = standing_in(actor, room, lock=True)
    require_admin(standing, "set its focus")
    notebook = Notebook.objects.get(room=standing.room)
    if notebook.revision != expected_revision:
        raise Overtaken(
            "Somebody else set the focus meanwhile. Read it again, then repeat your edit.", revision=notebook.revision
        )
    if notebook.objective != objective:
        notebook.objective, notebook.revision, notebook.updated_at = objective, expected_revision + 1, db_now()
        notebook.save(update_fields=["objective", "revision", "updated_at"])
        act = Act(act="focus.edit", record_kind="notebook", record_id=standing.room.pk)
        change = _noted(notebook, act)
        write(standing.room, actor, notebook.updated_at, [change], context=[ContextClass.FOCUS], kind="focus")
    return FocusState(room=standing.room.pk, objective=notebook.objective, revision=notebook.revision)


@operation
def edit_room_document(actor: HumanActor, *, room: str, content: str, expected_version: int) -> Document:
    """Write the next version of ROOM.md over the version the editor has seen (0 for the first)."""
    place = _administered(actor, room, "write its ROOM.md", None)
    if place.document_version != expected_version:
        raise Overtaken(
            "Somebody else wrote ROOM.md meanwhile. Read it again, then repeat your edit.",
            version=place.document_version,
        )
    if place.document != content:
        place.document, place.document_version = content, expected_version + 1
        act = Act(
            act="room.document",
            record_kind="room",
            record_id=place.pk,
            before={"version": expected_version},
            after={"version": place.document_version},
        )
        _keep(place, actor, act, ["document", "document_version"], ContextClass.FILES)
    return Document(room=place.pk, content=place.document, version=place.document_version)


def _require_room_to_spare(owner_id: str) -> None:
    """Rooms that are not archived count. The owner's row is locked, so that two requests count one after the other."""
    Owner.objects.select_for_update(no_key=connection.vendor == "postgresql").get(pk=owner_id)
    if Room.objects.filter(created_by_id=owner_id).exclude(status=RoomStatus.ARCHIVED).count() >= ROOMS_PER_OWNER:
        raise LimitReached(f"A person can have {ROOMS_PER_OWNER} rooms. Archive one that is no longer used.")


def _administered(actor: HumanActor, room_id: str, what: str, expected_revision: int | None) -> Room:
    """The room, locked, for an admin who has seen its present revision."""
    standing = standing_in(actor, room_id, lock=True)
    require_admin(standing, what)
    if expected_revision is not None and standing.room.revision != expected_revision:
        raise Overtaken(
            "Somebody else changed this room meanwhile. Look at it again, then repeat your edit.",
            revision=standing.room.revision,
        )
    return standing.room


def _enter(room: Room, actor: AnyActor, status: str) -> RoomState:
    if room.status != status:
        act = Act(
            act="room.status",
            record_kind="room",
            record_id=room.pk,
            before={"status": room.status},
            after={"status": status},
        )
        room.status = status
        _keep(room, actor, act, ["status"])
    return state_of(room)


def _keep(room: Room, actor: AnyActor, act: Act, fields: list[str], changed: ContextClass = ContextClass.ROOM) -> None:
    room.revision += 1
    room.save(update_fields=[*fields, "revision"])
    write(room, actor, db_now(), [_changed(room, act)], context=[changed])


def _changed(room: Room, act: Act) -> Change:
    return Change(act=act, revision=room.revision, snapshot=_snapshot(room))


def _snapshot(room: Room) -> dict[str, Any]:
    """The record as every member may see it: the workspace pointer is for admins and stays out."""
    return {
        "name": room.name,
        "status": room.status,
        "document": room.document,
        "document_version": room.document_version,
    }


def _noted(notebook: Notebook, act: Act) -> Change:
    return Change(act=act, revision=notebook.revision, snapshot={"objective": notebook.objective})
