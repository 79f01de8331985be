"""What rooms must ask about tasks without knowing them. The tasks app registers its answers.

Until it does no task exists: a message that names one is refused.
"""

from __future__ import annotations

from collections.abc import Callable

from agentroom.core.errors import NotFound

# exists(room_id, task_id): whether the room has this task.
Exists = Callable[[str, str], bool]
# held(room_id): the task each (agent id, instance name) works on now.
Held = Callable[[str], dict[tuple[str, str], str]]

_exists: list[Exists] = []
_held: list[Held] = []


def register(*, exists: Exists, held: Held) -> None:
    """Called once, in the `context.py` of the tasks app."""
    _exists[:], _held[:] = [exists], [held]


def require_task(room_id: str, task_id: str) -> None:
    """Raise `NotFound` unless the room has this task."""
    if not any(exists(room_id, task_id) for exists in _exists):
        raise NotFound("This room has no such task. `read_board` lists its tasks.")


def held_in(room_id: str) -> dict[tuple[str, str], str]:
    """Which task each instance holds in the room."""
    return {place: task for held in _held for place, task in held(room_id).items()}
