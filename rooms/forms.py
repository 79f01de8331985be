"""What people give in the browser: records with the same limits as those of the tools."""

from __future__ import annotations

import re
from typing import Annotated, Literal
from urllib.parse import urlsplit

from django.core.exceptions import ValidationError
from django.core.validators import validate_email
from pydantic import AfterValidator, model_validator

from agentroom.core import limits
from agentroom.core.inputs import (
    LINE,
    VISIBLE,
    Id,
    IdempotencyKey,
    Seq,
    ToolInput,
    at_most_items,
    characters,
    utf8_bytes,
)
from rooms.inputs import Plate

# `git@host:owner/repository`, the short form of an ssh address.
SCP_ADDRESS = re.compile(r"[A-Za-z0-9_.-]+@[A-Za-z0-9.-]+:[A-Za-z0-9_./~-]+")
# What git check-ref-format allows, on the narrow side.
BRANCH = re.compile(r"(?!.*(\.\.|//|\.lock$|/$|\.$))[A-Za-z0-9_][A-Za-z0-9_./+#-]*")
TOKEN = re.compile(r"[!-~]{8,500}")


def _repository(url: str) -> str:
    """A plain repository address: a token has its own field and never stands in the address."""
    if not url or SCP_ADDRESS.fullmatch(url):
        return url
    parts = urlsplit(url)
    if parts.scheme not in {"https", "ssh"} or not parts.hostname or len(parts.path) < 2:
        raise ValueError("must be https://host/path, ssh://host/path or git@host:path")
    if parts.password or parts.query or parts.fragment or (parts.username and parts.scheme == "https"):
        raise ValueError("must hold no user, password, query or fragment; give the token in its own field")
    return url


def _branch(name: str) -> str:
    if name and not BRANCH.fullmatch(name):
        raise ValueError("must be a branch name")
    return name


def _token(token: str) -> str:
    if not TOKEN.fullmatch(token):
        raise ValueError("must be 8 to 500 visible ASCII characters")
    return token


RoomName = Annotated[str, VISIBLE, LINE, characters(limits.NAME_CHARACTERS)]
Focus = Annotated[str, utf8_bytes(limits.FOCUS_BYTES)]


class CreateRoom(ToolInput):
    name: RoomName
    objective: Focus = ""
    idempotency_key: IdempotencyKey | None = None


class RenameRoom(ToolInput):
    room: Id
    name: RoomName
    expected_revision: Seq | None = None


class SetRoomStatus(ToolInput):
    room: Id
    status: Literal["active", "paused", "stopped", "archived"]
    expected_revision: Seq | None = None


class EditFocus(ToolInput):
    room: Id
    objective: Focus
    expected_revision: Seq


class EditRoomDocument(ToolInput):
    room: Id
    content: Annotated[str, utf8_bytes(limits.ROOM_DOCUMENT_BYTES)]
    expected_version: Seq


class SetWorkspace(ToolInput):
    room: Id
    path: Annotated[str, LINE, characters(500)] = ""
    url: Annotated[str, LINE, characters(500), AfterValidator(_repository)] = ""
    branch: Annotated[str, characters(200), AfterValidator(_branch)] = ""


class SetWorkspaceToken(ToolInput):
    room: Id
    token: Annotated[str, AfterValidator(_token)]


class Invitation(ToolInput):
    room: Id
    kind: Literal["human_email", "human_link", "agent_plate"]
    target: Annotated[str, characters(254)] = ""
    role: Literal["admin", "member"] = "member"

    @model_validator(mode="after")
    def _target_fits(self) -> Invitation:
        if self.kind == "human_email":
            try:
                validate_email(self.target)
            except ValidationError:
                raise ValueError("target must be an e-mail address") from None
        return self


class AcceptInvite(ToolInput):
    token: Annotated[str, characters(64)] | None = None
    invite_id: Id | None = None
    plates: Annotated[list[Plate], at_most_items(limits.PAGE)] = []


class SetRole(ToolInput):
    room: Id
    owner_id: Id
    role: Literal["admin", "member"]


class SetTrust(ToolInput):
    room: Id
    on: bool
