"""Tool inputs: pydantic models that refuse unknown keys, and the annotated kinds of text they are made of."""

from __future__ import annotations

import unicodedata
from typing import Annotated, Any

from pydantic import AfterValidator, BaseModel, ConfigDict, Field

from agentroom.core import limits
from agentroom.core.ids import ALPHABET, ULID_LENGTH

INVISIBLE_CATEGORIES = frozenset({"Cc", "Cf", "Zs", "Zl", "Zp", "Cn", "Co", "Cs"})
# Letters that render as nothing although Unicode files them under "letter" or "mark".
BLANK_LETTERS = frozenset("\u115f\u1160\u3164\uffa0\u2800\u034f")


class ToolInput(BaseModel):
    """Arguments of one tool. The field names are the keyword names of its operation."""

    model_config = ConfigDict(extra="forbid", frozen=True, strict=True)

    def arguments(self) -> dict[str, Any]:
        """The fields as keyword arguments of the operation."""
        return {name: getattr(self, name) for name in type(self).model_fields}


def is_visible(text: str) -> bool:
    """Whether a reader would see anything: white space, zero-width and blank letters are nothing (AR-2.4)."""
    return any(
        unicodedata.category(character) not in INVISIBLE_CATEGORIES and character not in BLANK_LETTERS
        for character in text
    )


def _visible(text: str) -> str:
    if not is_visible(text):
        raise ValueError("must have visible text")
    return text


def _at_most_bytes(limit: int) -> AfterValidator:
    def check(text: str) -> str:
        size = len(text.encode())
        if size > limit:
            raise ValueError(f"max {limit} bytes, got {size}")
        return text

    return AfterValidator(check)


def _at_most_characters(limit: int) -> AfterValidator:
    def check(text: str) -> str:
        if len(text) > limit:
            raise ValueError(f"max {limit} characters, got {len(text)}")
        return text

    return AfterValidator(check)


def _ulid(text: str) -> str:
    if len(text) != ULID_LENGTH or any(character not in ALPHABET for character in text.upper()):
        raise ValueError(f"must be an id of {ULID_LENGTH} characters")
    return text.upper()


def one_line(limit: int) -> Any:
    """A visible line of at most `limit` characters."""
    return Annotated[
        str,
        AfterValidator(_visible),
        AfterValidator(_line),
        _at_most_characters(limit),
        Field(description=f"max {limit} characters"),
    ]


def text(limit: int) -> Any:
    """Text of at most `limit` bytes of UTF-8, kept byte for byte."""
    return Annotated[str, _at_most_bytes(limit), Field(description=f"max {limit} bytes")]


def visible_text(limit: int) -> Any:
    """As `text`, and a reader must see something."""
    return Annotated[str, AfterValidator(_visible), _at_most_bytes(limit), Field(description=f"max {limit} bytes")]


def _line(text: str) -> str:
    if any(unicodedata.category(character) in {"Cc", "Zl", "Zp"} for character in text):
        raise ValueError("must be one line without control characters")
    return text


Id = Annotated[str, AfterValidator(_ulid)]
Title = one_line(limits.TITLE_CHARACTERS)
Summary = one_line(limits.SUMMARY_CHARACTERS)
Reason = one_line(limits.REASON_CHARACTERS)
DefinitionOfDone = Annotated[
    str,
    AfterValidator(_visible),
    _at_most_characters(limits.DEFINITION_OF_DONE_CHARACTERS),
    Field(description=f"max {limits.DEFINITION_OF_DONE_CHARACTERS} characters"),
]
Body = visible_text(limits.BODY_BYTES)
Detail = text(limits.DETAIL_BYTES)
HandoffNotes = visible_text(limits.HANDOFF_NOTES_BYTES)
Reference = one_line(limits.REFERENCE_CHARACTERS)
IdempotencyKey = one_line(limits.IDEMPOTENCY_KEY_CHARACTERS)
Limit = Annotated[int, Field(ge=1, le=limits.PAGE_MAX)]
Seq = Annotated[int, Field(ge=0, le=2**53)]
Fence = Annotated[int, Field(ge=0, le=2**31 - 1)]
