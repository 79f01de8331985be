"""Arguments of identity's tools."""

from __future__ import annotations

from agentroom.core.inputs import ToolInput


class WhoAmI(ToolInput):
    """Nothing: who calls is read from the passport."""
