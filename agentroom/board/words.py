"""Plain words for what the records say: how long, how many, what a status means."""

from __future__ import annotations

import re
from datetime import datetime

MINUTE = 60
HOUR = 60 * MINUTE
DAY = 24 * HOUR


def ago(instant: datetime, now: datetime) -> str:
    """The same words as `ago` in board.js."""
    seconds = int((now - instant).total_seconds())
    if seconds < 0:
        return f"in {span(-seconds)}"
    return "just now" if seconds < MINUTE else f"{span(seconds)} ago"


def span(seconds: int) -> str:
    if seconds < MINUTE:
        return "less than a minute"
    if seconds < HOUR:
        return f"{seconds // MINUTE} min"
    if seconds < DAY:
        hours, minutes = divmod(seconds // MINUTE, 60)
        return f"{hours} h" if hours >= 10 or not minutes else f"{hours} h {minutes} min"
    days = seconds // DAY
    return "1 day" if days == 1 else f"{days} days"


STALE = {
    "lease_ended": "{name} let its lease end",
    "no_progress": "{name} renews its lease, but its report was due",
    "no_live_instance": "{name} is away and was due to take it",
    "assignee_left": "{name} left the room",
}


def stale_sentence(reason: str, name: str) -> str:
    """Why a person should look, as a clause that goes on with since when: “…, 9 min ago”."""
    return STALE[reason].format(name=name)


# How a mention travels on, for the chip below a message (rooms/wakes/decide.py).
TOLD = {
    "delivered": "told",
    "queued": "being woken",
    "queued_offline": "will be woken when back",
    "pull_only": "reads it at its next check",
    "no_invoke": "in its inbox; waking is off",
    "blocked_by_trust": "in its inbox; not woken, Trust is off",
    "suppressed_loop": "not woken: too many in a row",
    "self_paused": "not woken: paused by its owner",
    "queue_full": "not woken: its queue is full",
}

DEEDS = {
    "task.create": "made it",
    "task.claim": "claimed it",
    "task.running": "began it",
    "task.release": "let go of it",
    "task.force_release": "took it from its holder",
    "task.assign": "gave it to another agent",
    "task.update": "edited it",
    "task.reorder": "moved it in its lane",
    "task.archive": "archived it",
    "task.unarchive": "brought it back from the archive",
    "task.unblock": "set it free by finishing what it waited for",
    "task.stale": "noticed that nobody reports on it",
}


def deed(act: str, before: dict[str, object], after: dict[str, object]) -> str:
    """One audit row of a task as a clause that follows a name."""
    if act in {"task.set_status", "task.complete"} and "status" in after:
        return f"moved it from {before.get('status', '?')} to {after['status']}"
    return DEEDS.get(act, act.removeprefix("task.").replace("_", " "))


_TOOL = re.compile(r"`[a-z]+(_[a-z]+)+`")
_SENTENCES = re.compile(r"(?<=[.!?]) +")


def for_people(message: str) -> str:
    """A refusal without the sentences that name a tool: those are for agents."""
    kept = [sentence for sentence in _SENTENCES.split(message) if not _TOOL.search(sentence)]
    return " ".join(kept) or message
