"""What the settings page of a room shows, each part to those who may see it."""

from __future__ import annotations

from identity.actors import Actor, HumanActor
from rooms.access import room_for, standing_in
from rooms.models import Member, Notebook, TrustRequest
from rooms.outputs import Document, FocusState, RoomState, TrustAsked, TrustState, WorkspaceState
from rooms.policies import require_admin
from rooms.states import state_of, workspace_of


def room_state(actor: Actor, *, room: str) -> RoomState:
    """Name, status and versions, for every member."""
    return state_of(room_for(actor, room))


def focus_of(actor: Actor, *, room: str) -> FocusState:
    """The current focus with the revision an edit must name."""
    place = room_for(actor, room)
    notebook = Notebook.objects.get(room=place)
    return FocusState(room=place.pk, objective=notebook.objective, revision=notebook.revision)


def document_of(actor: Actor, *, room: str) -> Document:
    """ROOM.md, for every member; version 0 is one that nobody has written."""
    place = room_for(actor, room)
    return Document(room=place.pk, content=place.document, version=place.document_version)


def workspace_view(actor: HumanActor, *, room: str) -> WorkspaceState:
    """The workspace pointer, for admins only, the token masked."""
    standing = standing_in(actor, room)
    require_admin(standing, "see or set its workspace")
    return workspace_of(standing.room)


def trust_in(actor: Actor, *, room: str) -> list[TrustState]:
    """Every owner's toggle in the room."""
    members = Member.objects.filter(room=room_for(actor, room), left_at=None).order_by("joined_at", "pk")
    return [TrustState(room=one.room_id, owner_id=one.owner_id, trusts_others=one.trusts_others) for one in members]


def trust_requests_of(actor: HumanActor) -> list[TrustAsked]:
    """The open requests of this person's agents, for Needs you; none of a room they have left."""
    waiting = TrustRequest.objects.filter(
        owner_id=actor.owner_id,
        settled_at=None,
        room__members__owner_id=actor.owner_id,
        room__members__left_at=None,
    )
    return [
        TrustAsked(
            room=one.room_id,
            room_name=one.room.name,
            plate=one.agent.plate,
            agent=one.agent.name,
            asked_at=one.asked_at,
        )
        for one in waiting.select_related("room", "agent").order_by("asked_at")
    ]
