"""Names of people and agents: one normal form, one folded key, nothing that can pose as someone else.

00-product.md "Names": NFC, 1–64 characters, unique when case-folded; reserved words and their look-alikes refused.
"""

from __future__ import annotations

import unicodedata

from agentroom.core.errors import Validation
from agentroom.core.inputs import is_visible
from agentroom.core.limits import NAME_CHARACTERS

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
# Letters of other scripts that are read as Latin ones; enough to catch a look-alike of a reserved word.
_LOOK_ALIKES = str.maketrans(
    "\u0430\u0435\u043e\u0440\u0441\u0443\u0445\u0456\u0455\u0458\u04bb\u0501\u051b\u043a\u043c\u043d\u0442\u0432"
    "\u03bf\u03b1\u03b5\u03b9\u03ba\u03bd\u03c1\u03c4\u03c5\u03c7\u03bc\u03b7\u0131\u0261\u217c\u2170\u0570\u0578"
    "\u057d\u0585\u0581",
    "aeopcyxisjhdwkmhtboaeiknptuxmhiglihnuog",
)
_DIGITS_AS_LETTERS = str.maketrans("013457", "oleast")


def normal_name(name: str, *, field: str = "name") -> str:
    """`name` in NFC. Raises `Validation` naming `field` when it may not be used."""
    normal = unicodedata.normalize("NFC", name)
    problem = _problem_of(normal)
    if problem:
        raise Validation(f"This name cannot be used: it {problem}.", fields={field: problem})
    return normal


def name_key(name: str) -> str:
    """What must be unique: case-folded, with the hyphen that a handle writes for a space."""
    return unicodedata.normalize("NFKC", name).casefold().replace(" ", "-")


def handle_of(name: str) -> str:
    """How a name is written after `@`."""
    return name.replace(" ", "-")


def _problem_of(name: str) -> str | None:
    if not 1 <= len(name) <= NAME_CHARACTERS:
        return f"must have 1 to {NAME_CHARACTERS} characters, got {len(name)}"
    if name != name.strip():
        return "must not start or end with a space"
    if FORBIDDEN_CHARACTERS & set(name):
        return "must not contain any of @ ( ) # /"
    if any(unicodedata.category(character) in {"Cc", "Cf", "Cs", "Co", "Cn", "Zl", "Zp"} for character in name):
        return "must not contain control or invisible characters"
    if not is_visible(name):
        return "must have visible characters"
    if _skeleton(name) in RESERVED:
        return "is reserved, or looks like a reserved name"
    return None


def _skeleton(name: str) -> str:
    """A name as the eye reads it: look-alikes folded to Latin, marks and separators dropped."""
    decomposed = unicodedata.normalize("NFKD", name).casefold().translate(_LOOK_ALIKES)
    letters = "".join(character for character in decomposed if character.isalnum())
    return letters.translate(_DIGITS_AS_LETTERS)
