"""What is wrong with given input, in our words: the place, and what may stand there.

Never a value, which may be secret, and never a library's sentence, which tells a reader nothing.
"""

from __future__ import annotations

import re
from collections import defaultdict
from collections.abc import Iterator
from dataclasses import dataclass
from typing import Any, get_args

from pydantic import BaseModel, ValidationError
from pydantic_core import ErrorDetails

NAMED_MOST = 10
PROBLEM_CHARACTERS = 200
PLACE_CHARACTERS = 128
# What may be echoed of a name the caller made up: nothing that could hide, break a line, or be a secret's length.
ECHOED = re.compile(r"[A-Za-z0-9_.$-]{1,64}")

INSTANT = "an instant with its time zone, like 2026-03-01T12:00:00Z"
KINDS = {
    "string_type": "text",
    "int_type": "a whole number",
    "int_parsing": "a whole number",
    "int_parsing_size": "a whole number",
    "int_from_float": "a whole number",
    "float_type": "a number",
    "float_parsing": "a number",
    "bool_type": "true or false",
    "bool_parsing": "true or false",
    "list_type": "a list",
    "tuple_type": "a list",
    "set_type": "a list",
    "dict_type": "an object",
    "model_type": "an object",
    "model_attributes_type": "an object",
    "datetime_type": INSTANT,
    "datetime_parsing": INSTANT,
    "datetime_from_date_parsing": INSTANT,
    "datetime_object_invalid": INSTANT,
    "timezone_aware": INSTANT,
}
MISSING = "required"


@dataclass(frozen=True, slots=True)
class Problem:
    """`place` reads like the caller's own JSON: `mention_targets[0].plate`. `kind` is the checker's name for it."""

    place: str
    kind: str
    text: str


def problems(model: type[BaseModel], error: ValidationError, given: object) -> list[Problem]:
    """Each bad place of `given` once, at most ten."""
    found: dict[str, Problem] = {}
    for problem in _found(model, error, given):
        found.setdefault(problem.place, problem)
    return list(found.values())[:NAMED_MOST]


def sentence(detail: ErrorDetails) -> str:
    """What must stand where `detail` found something else."""
    kind, context = detail["type"], detail.get("ctx", {})
    if kind == "missing":
        return MISSING
    if kind == "value_error":
        return str(context.get("error", "cannot be used here"))[:PROBLEM_CHARACTERS]
    if kind in {"literal_error", "enum"}:
        return f"must be {context['expected'].replace(chr(39), '')}"[:PROBLEM_CHARACTERS]
    return f"must be {KINDS[kind]}" if kind in KINDS else "cannot be used here"


def _found(model: type[BaseModel], error: ValidationError, given: object) -> Iterator[Problem]:
    """Where a field takes one of several shapes, only the shape that was meant speaks: the one that fits so far."""
    details = error.errors(include_url=False, include_input=False)
    placed = [(detail, *_walk(detail, given)) for detail in details]
    meant = {fork for detail, place, fork in placed if fork is not None and not _is_other_shape(detail, place, fork)}
    shapes: dict[str, list[str]] = defaultdict(list)
    for detail, place, fork in placed:
        if fork is None or not _is_other_shape(detail, place, fork):
            yield Problem(place, detail["type"], _text(model, detail))
        elif fork not in meant:
            shapes[fork].append(KINDS[detail["type"]])
    for place, kinds in shapes.items():
        yield Problem(place, "shape", f"must be {' or '.join(dict.fromkeys(kinds))}")


def _is_other_shape(detail: ErrorDetails, place: str, fork: str) -> bool:
    return place == fork and detail["type"] in KINDS


def _walk(detail: ErrorDetails, given: object) -> tuple[str, str | None]:
    """The place in the caller's words, and where on the way there several shapes were tried.

    The checker's own path names the shapes too; what is no step into `given` is such a name.
    """
    here, place, fork = given, "", None
    for part in detail["loc"]:
        if isinstance(here, list) and isinstance(part, int):
            here, place = (here[part] if part < len(here) else None), f"{place}[{part}]"
        elif isinstance(here, dict) and (part in here or (detail["type"] == "missing" and part == detail["loc"][-1])):
            here, place = here.get(part), f"{place}.{part if ECHOED.fullmatch(str(part)) else 'field'}"
        else:
            fork = place
    return _trimmed(place), None if fork is None else _trimmed(fork)


def _trimmed(place: str) -> str:
    return place.removeprefix(".")[:PLACE_CHARACTERS] or "arguments"


def _text(model: type[BaseModel], detail: ErrorDetails) -> str:
    if detail["type"] != "extra_forbidden":
        return sentence(detail)
    if len(detail["loc"]) == 1:
        return f"unknown argument; allowed: {', '.join(model.model_fields) or 'none'}"
    known = [name for record in _records_in(model, str(detail["loc"][0])) for name in record.model_fields]
    return f"unknown member; allowed: {', '.join(known) or 'none'}"


def _records_in(model: type[BaseModel], name: str) -> Iterator[type[BaseModel]]:
    """The records that a field of `model` is made of."""
    waiting: list[Any] = [model.model_fields[name].annotation] if name in model.model_fields else []
    while waiting:
        one = waiting.pop()
        if isinstance(one, type) and issubclass(one, BaseModel):
            yield one
        waiting.extend(get_args(one))
