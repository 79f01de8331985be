"""From whatever a caller sent to the validated input of one tool, or a refusal that names each bad field."""

from __future__ import annotations

import json
import re
from typing import Any, TypeVar

from pydantic import ValidationError

from agentroom.core import refusals
from agentroom.core.contract import Tool
from agentroom.core.errors import Validation
from agentroom.core.inputs import ToolInput
from agentroom.core.limits import HINT_CHARACTERS
from identity.operations.instances import Hints

Input = TypeVar("Input", bound=ToolInput)

# Any tool may receive these besides its own arguments (agent-room.md 4.1); they describe the calling instance.
HINTS = ("workspace", "host", "room", "rooms", "instance_id")
INSTANCE = re.compile(r"[A-Za-z0-9][A-Za-z0-9_.:-]{0,63}")


def hints_of(tool: Tool, arguments: object) -> tuple[dict[str, Any], Hints]:
    """Separate the tool's own arguments from the hints that may ride along."""
    if arguments is None:
        arguments = {}
    if not isinstance(arguments, dict):
        raise Validation("The arguments must be one JSON object.", fields={"arguments": "must be an object"})
    own, hints = dict(arguments), {}
    for name in HINTS:
        if name in own:
            hints[name] = own[name] if name in tool.input.model_fields else own.pop(name)
    return own, _checked(hints)


def validated(name: str, model: type[Input], arguments: object) -> Input:
    """The input of what is called `name`. Strict as JSON is strict: `"3"` is no number, an array may fill a tuple."""
    try:
        return model.model_validate_json(json.dumps(arguments))
    except ValidationError as error:
        raise _explained(name, model, error, arguments) from None


def _checked(hints: dict[str, Any]) -> Hints:
    instance = hints.get("instance_id")
    if instance is not None and not (isinstance(instance, str) and INSTANCE.fullmatch(instance)):
        _refuse("instance_id", "must be 1 to 64 letters, digits or _ . : -")
    for name in ("workspace", "host", "room"):
        value = hints.get(name)
        if value is not None and not (isinstance(value, str) and len(value) <= HINT_CHARACTERS):
            _refuse(name, f"must be text of at most {HINT_CHARACTERS} characters")
    rooms = hints.get("rooms")
    if rooms is not None and not (isinstance(rooms, list) and all(isinstance(room, str) for room in rooms)):
        _refuse("rooms", "must be a list of room ids")
    return Hints(instance_id=instance, workspace=hints.get("workspace"))


def _refuse(name: str, problem: str) -> None:
    raise Validation(f"{name} {problem}. Nothing was changed.", fields={name: problem})


def _explained(name: str, model: type[ToolInput], error: ValidationError, arguments: object) -> Validation:
    """Name each bad field and what it must be; never echo a value."""
    found = {problem.place: problem.text for problem in refusals.problems(model, error, arguments)}
    listing = "; ".join(f"{place}: {text}" for place, text in found.items())
    return Validation(f"{name} refused its arguments: {listing}. Nothing was changed.", fields=found)
