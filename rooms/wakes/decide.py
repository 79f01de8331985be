"""The one pure function that says whether a mention or task wakes its target, and if not, why not.

The composer's preview, the enqueue, the dispatch and `explain_wake` all ask it (00-product.md, "Mentions").
"""

from __future__ import annotations

from dataclasses import dataclass
from enum import StrEnum

from agentroom.core.scopes import Scope
from identity.models import Host

# Runtimes a listener can start; the others pull (agent-room.md 6.9).
WAKEABLE_HOSTS = frozenset({Host.CLAUDE.value, Host.CODEX.value, Host.OPENCLAW.value, Host.HERMES.value})


class Outcome(StrEnum):
    """What became of ringing one target. People are always `delivered`."""

    DELIVERED = "delivered"
    QUEUED = "queued"
    QUEUED_OFFLINE = "queued_offline"
    PULL_ONLY = "pull_only"
    NO_INVOKE = "no_invoke"
    BLOCKED_BY_TRUST = "blocked_by_trust"
    SUPPRESSED_LOOP = "suppressed_loop"
    SELF_PAUSED = "self_paused"
    QUEUE_FULL = "queue_full"


@dataclass(frozen=True, slots=True, kw_only=True)
class Facts:
    """Everything the decision depends on. `has_listener`: a paired listener serves this agent in this room."""

    allowed: bool
    scopes: Scope
    host: str
    room_is_active: bool = True
    has_listener: bool = False
    is_live: bool = False
    is_paused: bool = False
    in_loop: bool = False
    queue_is_full: bool = False


def outcome(facts: Facts) -> Outcome:
    """The first thing that stands in the way, or how the wake waits."""
    if not facts.allowed:
        return Outcome.BLOCKED_BY_TRUST
    if Scope.INVOKE not in facts.scopes:
        return Outcome.NO_INVOKE
    if facts.host not in WAKEABLE_HOSTS or not facts.has_listener or not facts.room_is_active:
        return Outcome.PULL_ONLY
    if facts.is_paused:
        return Outcome.SELF_PAUSED
    if facts.in_loop:
        return Outcome.SUPPRESSED_LOOP
    if facts.queue_is_full:
        return Outcome.QUEUE_FULL
    return Outcome.QUEUED if facts.is_live else Outcome.QUEUED_OFFLINE
