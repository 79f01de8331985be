"""The headline of a refusal: what kind of thing happened, in words. The sentence below it says the rest."""

from __future__ import annotations

from agentroom.core.errors import (
    Category,
    LimitReached,
    NotFound,
    Overtaken,
    PublicError,
    RateLimited,
    StaleLease,
    ThreadNotActive,
    TooLarge,
    Unavailable,
    VersionGap,
)

MEANWHILE = "It changed meanwhile"
# Only of these may a person expect that looking again and repeating helps.
KINDS: dict[type[PublicError], str] = {
    Overtaken: MEANWHILE,
    StaleLease: MEANWHILE,
    VersionGap: MEANWHILE,
    NotFound: "Not here",
    ThreadNotActive: "This room is not active",
    TooLarge: "Too much at once",
    RateLimited: "A little slower",
    LimitReached: "No more of these",
    Unavailable: "The database is away",
}
CATEGORIES = {
    Category.CALLER: "Something is not right yet",
    Category.AUTH: "Verify first",
    Category.PERMISSION: "Not yours to do",
    Category.STATE: "Not possible as things stand",
    Category.TRANSIENT: "Not right now",
    Category.SERVER: "Something broke on the server",
}


def headline(error: PublicError) -> str:
    return next((words for kind, words in KINDS.items() if isinstance(error, kind)), CATEGORIES[error.category])
