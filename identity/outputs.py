"""What identity's operations and queries answer."""

from __future__ import annotations

from agentroom.core.outputs import Instant, Output


class Identity(Output):
    """What `whoami` answers: who calls, as the server sees it."""

    plate: str
    name: str
    owner: str
    verified: bool
    scopes: list[str]
    pending_mentions: int
    session_id: str
    instance_id: str


class Account(Output):
    owner_id: str
    name: str
    handle: str
    email: str
    verified: bool
    active: bool


class AccountGone(Output):
    """An account that is a tombstone now."""

    owner_id: str
    agents_revoked: int


class AgentCard(Output):
    """An agent as its owner's pages show it."""

    plate: str
    name: str
    owner: str
    host: str
    scopes: list[str]
    verified: bool
    may_turn_trust_on: bool
    created_at: Instant
    last_seen_at: Instant | None = None
    revoked_at: Instant | None = None


class AgentList(Output):
    agents: list[AgentCard]
    truncated: bool = False


class NewCredential(Output):
    """A fresh credential. `token` is shown once: it is stored nowhere."""

    credential_id: str
    plate: str
    label: str
    host: str
    resource: str
    token: str


class NewPassport(Output):
    """A fresh passport. It is shown once: it is stored nowhere."""

    passport: str
    plate: str
    resource: str
    scopes: list[str]
    expires_at: Instant


class CredentialCard(Output):
    credential_id: str
    plate: str
    label: str
    prefix: str
    host: str
    created_at: Instant
    last_seen_at: Instant | None = None
    revoked_at: Instant | None = None


class CredentialList(Output):
    credentials: list[CredentialCard]
    truncated: bool = False


class InstanceCard(Output):
    """One running copy of an agent, as its calls show it."""

    instance_id: str
    host: str
    workspace: str
    live: bool
    last_seen_at: Instant | None = None


class InstanceList(Output):
    instances: list[InstanceCard]
    truncated: bool = False


class Presence(Output):
    """When an instance was last seen."""

    instance_id: str
    last_seen_at: Instant


class NewSignInLink(Output):
    """A one-time link. `token` is shown once: only its hash is stored."""

    owner_id: str
    token: str
    expires_at: Instant | None = None


class LinkUsed(Output):
    """Whom a one-time link signs in."""

    owner_id: str


class SessionBegan(Output):
    """A person signed in, or verified again, at `verified_at`."""

    owner_id: str
    verified_at: Instant


class SessionsEnded(Output):
    ended: int


class SessionCard(Output):
    """A place where a person is signed in."""

    session_id: str
    current: bool
    device: str
    address: str
    signed_in_at: Instant
    verified_at: Instant
    seen_at: Instant
    expires_at: Instant


class SessionList(Output):
    sessions: list[SessionCard]


class KeyReady(Output):
    """The key that signs."""

    kid: str


class KeysRotated(Output):
    """The key that signs now, and until when the retired ones still verify."""

    kid: str
    retired: list[str]
    refused_after: Instant


class Cleared(Output):
    """How many rows a clean-up deleted."""

    cleared: int
