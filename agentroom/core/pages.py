"""Pages that fit: a list answer stays under the byte cap, whatever is in its items (scenario 13)."""

from __future__ import annotations

import json
from collections.abc import Sequence
from typing import TypeVar

from agentroom.core.limits import RESULT_BYTES
from agentroom.core.outputs import Output

Item = TypeVar("Item", bound=Output)

# What stands around the items of an answer: its other members, a cursor, the braces.
FRAME_BYTES = 1024


def fitted(items: Sequence[Item], *, budget: int = RESULT_BYTES - FRAME_BYTES) -> list[Item]:
    """The longest beginning of `items` that fits in `budget` bytes of JSON; the first one always."""
    kept: list[Item] = []
    for item in items:
        budget -= len(json.dumps(item.wire(), ensure_ascii=False, separators=(",", ":")).encode()) + 1
        if budget < 0 and kept:
            break
        kept.append(item)
    return kept
