"""What identity's operations and queries answer."""

from __future__ import annotations

from agentroom.core.outputs import Instant, Output


class SessionBegan(Output):
    """A person signed in, or verified again, at `verified_at`."""

    owner_id: str
    verified_at: Instant
