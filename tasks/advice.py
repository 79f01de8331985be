"""What a caller that met a task in the wrong state can do instead: one sentence for each state."""

from __future__ import annotations

from tasks.lifecycle import Status
from tasks.models import Task


def next_step(task: Task) -> str:
    """The way on from where the task stands, for an agent."""
    if task.status == Status.BLOCKED and task.holder_instance:
        return "Its holder goes on with `set_status` doing."
    return STEPS[Status(task.status)]


STEPS = {
    Status.TODO: "Take it with `claim_task` first.",
    Status.DOING: "Only its holder may go on with it.",
    Status.BLOCKED: "Set it to todo with `set_status`, then take it with `claim_task`.",
    Status.FAILED: "Set it to todo with `set_status`, then take it with `claim_task`.",
    Status.CANCELLED: "Only people can open it again: ask one, or look for other work on the board.",
    Status.DONE: "Done is final: say the rest in a message or a new task.",
}
