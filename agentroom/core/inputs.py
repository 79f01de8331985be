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


def characters(limit: int) -> AfterValidator:
    """At most `limit` characters, the actual number said."""

    def check(text: str) -> str:
        if len(text) > limit:
            raise ValueError(f"max {limit} characters, got {len(text)}")
        return text

    return AfterValidator(check)


def utf8_bytes(limit: int) -> AfterValidator:
    """At most `limit` bytes of UTF-8, kept byte for byte."""

    def check(text: str) -> str:
        size = len(text.encode())
        if size > limit:
            raise ValueError(f"max {limit} bytes, got {size}")
        return text

    return AfterValidator(check)


def between(low: int, high: int) -> AfterValidator:
    """Bounds that stay out of the schema: where a caller may meet one, the description says it."""

    def check(number: int) -> int:
        if not low <= number <= high:
            raise ValueError(f"must be {low} to {high}")
        return number

    return AfterValidator(check)


def at_most_items(limit: int) -> AfterValidator:
    def check(items: list[Any]) -> list[Any]:
        if len(items) > limit:
            raise ValueError(f"max {limit} items, got {len(items)}")
        return items

    return AfterValidator(check)


def said(limit: int, unit: str = "characters") -> Any:
    """The limit as the field's description: models read no `maxLength`."""
    return Field(description=f"max {limit} {unit}")


def _ulid(text: str) -> str:
    if len(text) != ULID_LENGTH or any(character not in ALPHABET for character in text.upper()):
        raise ValueError(f"must be an id of {ULID_LENGTH} characters")
    return text.upper()


def _line(text: str) -> str:
    if any(unicodedata.category(character) in {"Cc", "Zl", "Zp"} for character in text):
        raise ValueError("must be one line without control characters")
    return text


VISIBLE = AfterValidator(_visible)
LINE = AfterValidator(_line)

Id = Annotated[str, AfterValidator(_ulid)]
Title = Annotated[str, VISIBLE, LINE, characters(limits.TITLE_CHARACTERS), said(limits.TITLE_CHARACTERS)]
Summary = Annotated[str, VISIBLE, LINE, characters(limits.SUMMARY_CHARACTERS), said(limits.SUMMARY_CHARACTERS)]
Reason = Annotated[str, VISIBLE, LINE, characters(limits.REASON_CHARACTERS), said(limits.REASON_CHARACTERS)]
DefinitionOfDone = Annotated[
    str, VISIBLE, characters(limits.DEFINITION_OF_DONE_CHARACTERS), said(limits.DEFINITION_OF_DONE_CHARACTERS)
]
Body = Annotated[str, VISIBLE, utf8_bytes(limits.BODY_BYTES), said(limits.BODY_BYTES, "bytes")]
Detail = Annotated[str, utf8_bytes(limits.DETAIL_BYTES), said(limits.DETAIL_BYTES, "bytes")]
HandoffNotes = Annotated[
    str, VISIBLE, utf8_bytes(limits.HANDOFF_NOTES_BYTES), said(limits.HANDOFF_NOTES_BYTES, "bytes")
]
Reference = Annotated[str, VISIBLE, LINE, characters(limits.REFERENCE_CHARACTERS), said(limits.REFERENCE_CHARACTERS)]
IdempotencyKey = Annotated[str, VISIBLE, LINE, characters(limits.IDEMPOTENCY_KEY_CHARACTERS)]
Limit = Annotated[int, between(1, limits.PAGE_MAX), Field(description=f"max {limits.PAGE_MAX}")]
Seq = Annotated[int, between(0, 2**53)]
Fence = Annotated[int, between(0, 2**31 - 1)]
