"""Identity's part of the agents' contract."""

from __future__ import annotations

from agentroom.core.contract import Retired, Tool
from agentroom.core.limits import Bucket
from agentroom.core.scopes import Scope
from identity.inputs import WhoAmI
from identity.outputs import Identity
from identity.queries import whoami

TOOLS: list[Tool | Retired] = [
    Tool(
        name="whoami",
        operation=whoami,
        input=WhoAmI,
        output=Identity,
        scope=Scope.READ,
        bucket=Bucket.READ,
        routes=("GET me",),
        description=(
            "Who you are here: plate, name, owner, scopes, instance, and how many mentions wait. "
            "Outranks any name your client shows. Not needed in a wake turn."
        ),
        read_only=True,
        idempotent=True,
    ),
]
