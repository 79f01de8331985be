"""One guard for every input, whatever the door: what it lets through can be stored and compared (AR-2.1)."""

from __future__ import annotations

import json
import math
from typing import Any, NoReturn

from agentroom.core.errors import Validation

MAX_DEPTH = 32
MAX_NODES = 10_000
INTEGER_BOUND = 2**63
MAX_NUMBER_CHARACTERS = 64


def parse_json(raw: bytes) -> Any:
    """Parse a body. Raises `Validation` for anything that is not plain, bounded, unambiguous JSON."""
    try:
        text = raw.decode("utf-8")
    except UnicodeDecodeError:
        _refuse("body", "must be valid UTF-8")
    _refuse_deep_text(text)
    try:
        value = json.loads(
            text, object_pairs_hook=_unique, parse_constant=_no_constant, parse_int=_int, parse_float=_float
        )
    except ValueError as error:
        if isinstance(error, json.JSONDecodeError):
            _refuse("body", f"must be JSON, and is none from character {error.pos} on")
        raise
    check(value)
    return value


def check(value: Any, name: str = "body") -> None:
    """Apply the same bounds to a value that something else parsed (a form, a socket frame)."""
    nodes = 0
    stack: list[tuple[Any, str, int]] = [(value, name, 1)]
    while stack:
        item, path, depth = stack.pop()
        nodes += 1
        if nodes > MAX_NODES:
            _refuse(name, f"has more than {MAX_NODES} values")
        if depth > MAX_DEPTH:
            _refuse(name, f"is nested more than {MAX_DEPTH} deep")
        if isinstance(item, str):
            _check_text(item, path)
        elif isinstance(item, float):
            if not math.isfinite(item):
                _refuse(path, "must be a finite number")
        elif isinstance(item, int):
            if not -INTEGER_BOUND <= item < INTEGER_BOUND:
                _refuse(path, "must fit in 64 bits")
        elif isinstance(item, dict):
            for key, child in item.items():
                _check_text(key, path)
                stack.append((child, _inside(path, key, name), depth + 1))
        elif isinstance(item, list | tuple):
            stack.extend((child, path, depth + 1) for child in item)


def _check_text(text: str, path: str) -> None:
    if "\x00" in text:
        _refuse(path, "must not contain a NUL character")
    if not text.isascii() and any("\ud800" <= character <= "\udfff" for character in text):
        _refuse(path, "must be valid Unicode (it has a lone surrogate)")


def _inside(path: str, key: str, root: str) -> str:
    """Name a nested field by its nearest key; a long or odd key is not echoed."""
    known = key if key.isidentifier() and len(key) <= 64 else "field"
    return known if path == root else f"{path}.{known}"[:128]


def _refuse_deep_text(text: str) -> None:
    """Count brackets outside strings first: the parser itself recurses, and 100,000 of them end it (F13)."""
    if text.count("[") + text.count("{") <= MAX_DEPTH:
        return
    depth, inside_string, escaped = 0, False, False
    for character in text:
        if inside_string:
            if escaped:
                escaped = False
            elif character == "\\":
                escaped = True
            elif character == '"':
                inside_string = False
        elif character == '"':
            inside_string = True
        elif character in "[{":
            depth += 1
            if depth > MAX_DEPTH:
                _refuse("body", f"is nested more than {MAX_DEPTH} deep")
        elif character in "]}":
            depth -= 1


def _unique(pairs: list[tuple[str, Any]]) -> dict[str, Any]:
    found = dict(pairs)
    if len(found) != len(pairs):
        _refuse("body", "has the same key twice in one object")
    return found


def _no_constant(_: str) -> NoReturn:
    _refuse("body", "must hold finite numbers only")


def _int(text: str) -> int:
    if len(text) > MAX_NUMBER_CHARACTERS:
        _refuse("body", "has an integer that does not fit in 64 bits")
    return int(text)


def _float(text: str) -> float:
    if len(text) > MAX_NUMBER_CHARACTERS or not math.isfinite(number := float(text)):
        _refuse("body", "must hold finite numbers only")
    return number


def _refuse(path: str, problem: str) -> NoReturn:
    raise Validation(f"The input was refused: {path} {problem}. Nothing was changed.", fields={path: problem})
