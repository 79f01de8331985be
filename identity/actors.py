"""Who acts: an agent with its instance, or a human with a session. Passed explicitly everywhere, never ambient."""

from __future__ import annotations

from dataclasses import dataclass

from agentroom.core.scopes import Scope

SYSTEM_KEY = "system"


@dataclass(frozen=True, slots=True, kw_only=True)
class AgentActor:
    """The verified caller of an agents' door. `pending_mentions` is the inbox size read with the credential."""

    agent_id: str
    plate: str
    name: str
    owner_id: str
    owner_handle: str
    scopes: Scope
    credential_id: str
    instance_id: str
    host: str
    verified: bool = False
    pending_mentions: int = 0
    instance_is_claimed: bool = False  # the passport names the instance: no argument may change it
    by_passport: bool = False  # it sent a passport, not the credential that the passport was made from
    request_id: str = ""

    kind = "agent"

    @property
    def key(self) -> str:
        return f"agent:{self.plate}"


@dataclass(frozen=True, slots=True, kw_only=True)
class HumanActor:
    """A signed-in person. `session_key` lets an operation re-read how fresh the sign-in is."""

    owner_id: str
    name: str
    handle: str
    session_key: str = ""
    request_id: str = ""

    kind = "human"

    @property
    def key(self) -> str:
        return f"human:{self.owner_id}"


@dataclass(frozen=True, slots=True, kw_only=True)
class SystemActor:
    """The server itself, as in a sweep; with `operator_id`, the operator who acts through a command or the admin."""

    operator_id: str = ""
    request_id: str = ""

    kind = "system"

    @property
    def key(self) -> str:
        return f"operator:{self.operator_id}" if self.operator_id else SYSTEM_KEY


Actor = AgentActor | HumanActor
AnyActor = AgentActor | HumanActor | SystemActor
