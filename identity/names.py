"""Names of people and agents: one normal form, one folded key, nothing that can pose as someone else.

00-product.md "Names": NFC, 1–64 characters, unique when case-folded; reserved words and their look-alikes refused.
"""

from __future__ import annotations

import unicodedata
from collections.abc import Iterator

from agentroom.core.errors import Validation
from agentroom.core.inputs import INVISIBLE_CATEGORIES as INVISIBLE
from agentroom.core.inputs import is_visible
from agentroom.core.limits import NAME_CHARACTERS
from identity.look_alikes import mixes_scripts, skeletons

HANDLE_TRIES = 200
FORBIDDEN_CHARACTERS = frozenset("@()#/")
RESERVED = frozenset(
    {
        "human",
        "humanoverseer",
        "overseer",
        "system",
        "admin",
        "administrator",
        "everyone",
        "here",
        "all",
        "owner",
        "owners",
        "root",
        "operator",
        "moderator",
        "support",
        "security",
        "agent",
        "agents",
        "agentroom",
        "room",
        "server",
        "assistant",
        "user",
        "none",
        "null",
    }
)
_RESERVED_LOOKS = frozenset[str]().union(*map(skeletons, RESERVED))


def normal_name(name: str, *, field: str = "name") -> str:
    """`name` in NFC. Raises `Validation` naming `field` when it may not be used."""
    normal = unicodedata.normalize("NFC", name)
    problem = _problem_of(normal)
    if problem:
        raise Validation(f"This name cannot be used: it {problem}.", fields={field: problem})
    return normal


def name_key(name: str) -> str:
    """What must be unique: case-folded, with the hyphen that a handle writes for a space."""
    return unicodedata.normalize("NFKC", unicodedata.normalize("NFKC", name).casefold()).replace(" ", "-")


def handle_of(name: str) -> str:
    """How a name is written after `@`."""
    return name.replace(" ", "-")


def handles_for(name: str) -> Iterator[str]:
    """Handles to try for a new account of that name, the plain one first."""
    base = handle_of(name)
    yield base
    for number in range(2, HANDLE_TRIES + 1):
        yield f"{base[: NAME_CHARACTERS - 4]}-{number}"


def _problem_of(name: str) -> str | None:
    if not 1 <= len(name) <= NAME_CHARACTERS or len(name_key(name)) > NAME_CHARACTERS:
        return f"must have 1 to {NAME_CHARACTERS} characters, got {len(name)}"
    if name != name.strip():
        return "must not start or end with a space"
    if FORBIDDEN_CHARACTERS & set(unicodedata.normalize("NFKC", name)):
        return "must not contain any of @ ( ) # /"
    if any(unicodedata.category(character) in INVISIBLE and character != " " for character in name):
        return "must not contain control or invisible characters, nor spaces other than the plain one"
    if not is_visible(name):
        return "must have visible characters"
    if mixes_scripts(name):
        return "must not mix letters of two alphabets in one word"
    if skeletons(name) & _RESERVED_LOOKS:
        return "is reserved, or looks like a reserved name"
    return None
