"""The workspace pointer of a coding room: path, repository, branch and a sealed token. Admins only (I-25)."""

from __future__ import annotations

from django.core.exceptions import ImproperlyConfigured

from agentroom.core.audit import Act
from agentroom.core.clock import db_now
from agentroom.core.errors import Validation
from agentroom.core.operation import operation
from identity import keyring
from identity.actors import HumanActor
from rooms.access import standing_in
from rooms.ledger import Change, ContextClass, write
from rooms.models import Room
from rooms.outputs import WorkspaceState
from rooms.policies import require_admin
from rooms.states import workspace_of

TAIL_CHARACTERS = 4
# A shorter token would be half told by its tail.
TOKEN_CHARACTERS_FOR_TAIL = 16


@operation
def set_workspace(actor: HumanActor, *, room: str, path: str = "", url: str = "", branch: str = "") -> WorkspaceState:
    """Set the three pointers. A token belongs to one repository: another address drops it."""
    place = _administered(actor, room)
    if branch and not url:
        raise Validation("A branch needs the address of its repository.", fields={"branch": "needs url"})
    wanted = {"workspace_path": path, "workspace_url": url, "workspace_branch": branch}
    changed = [name for name, value in wanted.items() if getattr(place, name) != value]
    if "workspace_url" in changed:
        _set_token(place, b"", "")
    for name, value in wanted.items():
        setattr(place, name, value)
    if changed:
        _keep(place, actor, "workspace.set", {"changed": changed}, in_context=True)
    return workspace_of(place)


@operation
def set_workspace_token(actor: HumanActor, *, room: str, token: str) -> WorkspaceState:
    """Set or rotate the access token. It is sealed at once and never shown again, except for its last characters."""
    place = _administered(actor, room)
    if not place.workspace_url:
        raise Validation("Set the repository first: the token is for it alone.", fields={"token": "needs a repository"})
    had_one = bool(place.workspace_token_encrypted)
    if had_one and _holds(place, token):
        return workspace_of(place)
    tail = token[-TAIL_CHARACTERS:] if len(token) >= TOKEN_CHARACTERS_FOR_TAIL else ""
    _set_token(place, keyring.seal(token.encode()), tail)
    _keep(place, actor, "workspace.token.rotate" if had_one else "workspace.token.set", {})
    return workspace_of(place)


@operation
def remove_workspace_token(actor: HumanActor, *, room: str) -> WorkspaceState:
    """Forget the access token."""
    place = _administered(actor, room)
    if place.workspace_token_encrypted:
        _set_token(place, b"", "")
        _keep(place, actor, "workspace.token.remove", {})
    return workspace_of(place)


def _administered(actor: HumanActor, room_id: str) -> Room:
    standing = standing_in(actor, room_id, lock=True)
    require_admin(standing, "see or set its workspace")
    return standing.room


def _holds(room: Room, token: str) -> bool:
    try:
        return keyring.unseal(bytes(room.workspace_token_encrypted)) == token.encode()
    except ImproperlyConfigured:
        # Sealed under a key that is gone: giving the token again is how to mend it.
        return False


def _set_token(room: Room, sealed: bytes, tail: str) -> None:
    room.workspace_token_encrypted, room.workspace_token_tail = sealed, tail


def _keep(room: Room, actor: HumanActor, act: str, after: dict[str, object], *, in_context: bool = False) -> None:
    """The audit row says which pointers changed, not to what: plain members read the audit page too."""
    fields = ["path", "url", "branch", "token_encrypted", "token_tail"]
    room.save(update_fields=[f"workspace_{name}" for name in fields])
    change = Change(act=Act(act=act, record_kind="room", record_id=room.pk, after=after))
    write(room, actor, db_now(), [change], context=[ContextClass.ROOM] if in_context else [], kind="workspace")
