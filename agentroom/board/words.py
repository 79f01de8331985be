"""Plain words for what the records say: how long, how many, what a status means."""

from __future__ import annotations

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
