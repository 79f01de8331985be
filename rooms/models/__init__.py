"""A file a noun; imported from here."""

from __future__ import annotations

from rooms.models.invite import Invite, InviteKind, InviteState
from rooms.models.membership import AgentMember, Member, Role
from rooms.models.mention import Mention, MentionKind
from rooms.models.message import Message
from rooms.models.notebook import Notebook
from rooms.models.room import Room, RoomStatus
from rooms.models.trust_request import TrustRequest

__all__ = [
    "AgentMember",
    "Invite",
    "InviteKind",
    "InviteState",
    "Member",
    "Mention",
    "MentionKind",
    "Message",
    "Notebook",
    "Role",
    "Room",
    "RoomStatus",
    "TrustRequest",
]
