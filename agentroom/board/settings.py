"""The settings of a room: name, status, focus, ROOM.md and the workspace pointer."""

from __future__ import annotations

from collections.abc import Callable
from typing import Any

from django.contrib import messages
from django.http import HttpRequest, HttpResponse
from django.shortcuts import redirect, render
from django.views.decorators.http import require_GET, require_POST

from agentroom.board.access import page
from agentroom.board.forms import read
from agentroom.board.markdown import rendered
from agentroom.board.parts import PARTS, shown
from agentroom.board.refusals import again
from agentroom.board.seat import Seat, seat_in
from agentroom.core.errors import PublicError
from agentroom.core.inputs import ToolInput
from identity.actors import HumanActor
from rooms.forms import (
    EditFocus,
    EditRoomDocument,
    RenameRoom,
    SetRoomStatus,
    SetWorkspace,
    SetWorkspaceToken,
)
from rooms.operations.rooms import edit_focus, edit_room_document, rename_room, set_room_status
from rooms.operations.workspace import remove_workspace_token, set_workspace, set_workspace_token
from rooms.states import workspace_of

TEMPLATE = "board/settings.html"


@require_GET
@page
def settings(request: HttpRequest, actor: HumanActor, room_id: str) -> HttpResponse:
    return render(request, TEMPLATE, _context(seat_in(actor, room_id)))


@require_POST
@page
def rename(request: HttpRequest, actor: HumanActor, room_id: str) -> HttpResponse:
    return _store(request, actor, room_id, RenameRoom, rename_room, "name", "The room has a new name.")


@require_POST
@page
def status(request: HttpRequest, actor: HumanActor, room_id: str) -> HttpResponse:
    return _store(request, actor, room_id, SetRoomStatus, set_room_status, "status", "The room’s status is changed.")


@require_POST
@page
def focus(request: HttpRequest, actor: HumanActor, room_id: str) -> HttpResponse:
    return _store(request, actor, room_id, EditFocus, edit_focus, "focus", "The focus is set.")


@require_POST
@page
def document(request: HttpRequest, actor: HumanActor, room_id: str) -> HttpResponse:
    return _store(request, actor, room_id, EditRoomDocument, edit_room_document, "document", "ROOM.md is written.")


@require_POST
@page
def workspace(request: HttpRequest, actor: HumanActor, room_id: str) -> HttpResponse:
    return _store(request, actor, room_id, SetWorkspace, set_workspace, "workspace", "The workspace is set.")


@require_POST
@page
def token(request: HttpRequest, actor: HumanActor, room_id: str) -> HttpResponse:
    """A refused token is the one thing that is not shown again."""
    said = "The token is kept, sealed. Only its last characters are ever shown."
    return _store(request, actor, room_id, SetWorkspaceToken, set_workspace_token, "token", said)


@require_POST
@page
def forget_token(request: HttpRequest, actor: HumanActor, room_id: str) -> HttpResponse:
    remove_workspace_token(actor, room=room_id)
    messages.success(request, "The token is forgotten.")
    return redirect(f"/rooms/{room_id}/settings")


def _store(
    request: HttpRequest,
    actor: HumanActor,
    room_id: str,
    form: type[ToolInput],
    operation: Callable[..., Any],
    which: str,
    said: str,
) -> HttpResponse:
    seat = seat_in(actor, room_id)
    try:
        operation(actor, **read(form, request, room=room_id))
    except PublicError as error:
        return again(request, error, TEMPLATE, {**_context(seat), "which": which})
    messages.success(request, said, extra_tags=f"clears-{which}")
    return redirect(f"/rooms/{room_id}/settings#{which}")


def _context(seat: Seat) -> dict[str, Any]:
    room, notebook = seat.room, seat.room.notebook
    pointer = workspace_of(room) if seat.administers else None
    values = {"name": room.name, "objective": notebook.objective, "content": room.document, "status": room.status}
    if pointer is not None:
        values |= {"path": pointer.path, "url": pointer.url, "branch": pointer.branch}
    return {
        "here": "settings",
        "seat": seat,
        "head": shown(PARTS["head"], seat),
        "notebook": notebook,
        "document": rendered(room.document) if room.document else "",
        "workspace": pointer,
        "values": values,
    }
