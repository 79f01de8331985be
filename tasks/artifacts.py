"""What a record points at: files and messages of the same room, stored as they resolve now."""

from __future__ import annotations

from collections.abc import Sequence

from agentroom.core import refs
from agentroom.core.errors import Validation

PREFIXES = ("file", "msg")


def resolved(room_id: str, artifacts: Sequence[str]) -> list[str]:
    """The stored forms, in order. Raises `Validation` naming the first that is absent or not readable."""
    return [_resolved(room_id, artifact, f"artifacts.{number}") for number, artifact in enumerate(artifacts)]


def _resolved(room_id: str, artifact: str, field: str) -> str:
    if artifact.partition(":")[0] not in PREFIXES:
        raise Validation(
            f"{field} must be file:<path> or msg:<room>#<seq>. Nothing was changed.",
            fields={field: "not file:<path> or msg:<room>#<seq>"},
        )
    return refs.resolve(room_id, artifact, field=field)
