"""Rooms, members and invites, as people administer them."""

from __future__ import annotations

from agentroom.core.outputs import Instant, Output


class RoomState(Output):
    """A room as its administration shows it. `document_version` is that of ROOM.md."""

    room: str
    name: str
    status: str
    revision: int
    document_version: int
    context_version: int


class FocusState(Output):
    room: str
    objective: str
    revision: int


class Document(Output):
    """ROOM.md, written by people, to be read as untrusted."""

    room: str
    content: str
    version: int


class WorkspaceState(Output):
    """The pointer of a room; of the token only its last characters are ever shown."""

    room: str
    path: str
    url: str
    branch: str
    token_tail: str | None = None
    has_token: bool


class MemberState(Output):
    room: str
    owner_id: str
    role: str
    left: bool


class AgentMemberState(Output):
    room: str
    plate: str
    left: bool


class TrustState(Output):
    room: str
    owner_id: str
    trusts_others: bool


class TrustAsked(Output):
    """An agent asked its owner to turn Trust on in a room."""

    room: str
    room_name: str
    plate: str
    agent: str
    asked_at: Instant


class InviteItem(Output):
    """A pending or past invite; `state` is pending, accepted, revoked or expired."""

    invite_id: str
    room: str
    room_name: str
    kind: str
    target: str
    role: str
    state: str
    invited_by: str
    created_at: Instant
    expires_at: Instant


class Invited(Output):
    """`token` is shown once: whoever has it and signs in may accept."""

    invite_id: str
    token: str
    expires_at: Instant


class InviteRef(Output):
    invite_id: str


class Joined(Output):
    room: str
    role: str
    plates: list[str]
