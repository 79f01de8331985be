"""What the operations and queries of rooms answer."""

from __future__ import annotations

from agentroom.core.outputs import Instant, Output


class Pending(Output):
    """What waits in the caller's inbox; rides on the answers of an agent's busy tools."""

    mentions: int
    oldest: Instant | None = None
