"""A room row as its outputs: shared by what changes it and what shows it."""

from __future__ import annotations

from rooms.models import Room
from rooms.outputs import RoomState, WorkspaceState


def state_of(room: Room) -> RoomState:
    return RoomState(
        room=room.pk,
        name=room.name,
        status=room.status,
        revision=room.revision,
        document_version=room.document_version,
        context_version=room.context_version,
    )


def workspace_of(room: Room) -> WorkspaceState:
    """The pointer as an admin sees it: of the token only its last characters."""
    return WorkspaceState(
        room=room.pk,
        path=room.workspace_path,
        url=room.workspace_url,
        branch=room.workspace_branch,
        token_tail=room.workspace_token_tail or None,
        has_token=bool(room.workspace_token_encrypted),
    )
