"""One call of one tool: rate → scope → input → operation → answer, or one public error. Both doors use it."""

from __future__ import annotations

import json
import logging
import re
from dataclasses import dataclass, field, replace
from typing import Any

from django.db import DatabaseError, InterfaceError, OperationalError
from pydantic import ValidationError

from agentroom.core import ids, ratelimit
from agentroom.core.contract import Retired, Tool, registry
from agentroom.core.errors import ForbiddenScope, Internal, PublicError, Unavailable, Validation
from agentroom.core.limits import HINT_CHARACTERS
from agentroom.core.schema import describe
from identity.actors import AgentActor
from identity.operations.instances import Hints, seen

logger = logging.getLogger(__name__)

# Any tool may receive these besides its own arguments (agent-room.md 4.1); they describe the calling instance.
HINTS = ("workspace", "host", "room", "rooms", "instance_id")
INSTANCE = re.compile(r"[A-Za-z0-9][A-Za-z0-9_.:-]{0,63}")


class UnknownTool(LookupError):
    """No tool of that name was ever declared."""


@dataclass(frozen=True, slots=True)
class Reply:
    """`data` is one JSON object, on success and on failure alike; `text` is the same, serialised once."""

    ok: bool
    status: int
    data: dict[str, Any]
    meta: dict[str, Any] = field(default_factory=dict)

    @property
    def text(self) -> str:
        return json.dumps(self.data, ensure_ascii=False, separators=(",", ":"))


def listed(actor: AgentActor) -> list[dict[str, Any]]:
    """The tools this passport can use, as MCP describes them, in a stable order."""
    return [describe(tool) for tool in registry.tools() if tool.listed and tool.scope in actor.scopes]


def call(actor: AgentActor, name: str, arguments: object, *, request_id: str) -> Reply:
    """Run one tool for `actor`. Raises only `UnknownTool`; every other failure is a `Reply` with a public error."""
    record = registry.get(name)
    if record is None:
        raise UnknownTool(name)
    actor = replace(actor, request_id=request_id)
    try:
        return Reply(True, 200, _run(actor, record, arguments), _meta(actor))
    except PublicError as error:
        return failure(error, request_id, _meta(actor))
    except Exception as error:
        return failure(_public(error, name), request_id, _meta(actor))


def failure(error: PublicError, request_id: str, meta: dict[str, Any] | None = None) -> Reply:
    """The one rendering of a refused call."""
    body = error.body(request_id, ids.error_id())
    if registry.get("diagnose_error") is not None:
        body["next_action"] = {"tool": "diagnose_error", "arguments": {"error_id": body["error_id"]}}
    return Reply(False, error.status, {"error": body}, meta or {})


def _run(actor: AgentActor, record: Tool | Retired, arguments: object) -> dict[str, Any]:
    ratelimit.hit(actor.key, record.bucket)
    if isinstance(record, Retired):
        raise record.error(record.message)
    if record.scope not in actor.scopes:
        raise ForbiddenScope(
            f"{record.name} needs the scope {record.scope.name}, which this agent does not have. "
            "Its owner can turn it on on the agent's page.",
            scope=record.scope.name,
        )
    own, hints = _split(record, arguments)
    actor = seen(actor, hints)
    return record.run(actor, _validated(record, own)).wire()


def _split(tool: Tool, arguments: object) -> tuple[dict[str, Any], Hints]:
    """Separate the tool's own arguments from the hints that may ride along."""
    if arguments is None:
        arguments = {}
    if not isinstance(arguments, dict):
        raise Validation("The arguments must be one JSON object.", fields={"arguments": "must be an object"})
    own, hints = dict(arguments), {}
    for name in HINTS:
        if name in own:
            hints[name] = own[name] if name in tool.input.model_fields else own.pop(name)
    return own, _checked_hints(hints)


def _checked_hints(hints: dict[str, Any]) -> Hints:
    instance = hints.get("instance_id")
    if instance is not None and not (isinstance(instance, str) and INSTANCE.fullmatch(instance)):
        problem = "must be 1 to 64 letters, digits or _ . : -"
        raise Validation(f"instance_id {problem}.", fields={"instance_id": problem})
    for name in ("workspace", "host", "room"):
        value = hints.get(name)
        if value is not None and not (isinstance(value, str) and len(value) <= HINT_CHARACTERS):
            problem = f"must be text of at most {HINT_CHARACTERS} characters"
            raise Validation(f"{name} {problem}.", fields={name: problem})
    rooms = hints.get("rooms")
    if rooms is not None and not (isinstance(rooms, list) and all(isinstance(room, str) for room in rooms)):
        raise Validation("rooms must be a list of room ids.", fields={"rooms": "must be a list of room ids"})
    return Hints(instance_id=instance, workspace=hints.get("workspace"))


def _validated(tool: Tool, arguments: dict[str, Any]) -> Any:
    try:
        return tool.input.model_validate(arguments)
    except ValidationError as error:
        raise _explained(tool, error) from None


def _explained(tool: Tool, error: ValidationError) -> Validation:
    """Name each bad field and what it must be; never echo a value."""
    fields: dict[str, str] = {}
    for problem in error.errors(include_url=False, include_input=False, include_context=False):
        location = [
            str(part) if isinstance(part, int) or part.isidentifier() else "field" for part in problem["loc"]
        ]
        name = ".".join(location)[:128] or "arguments"
        if problem["type"] == "extra_forbidden":
            known = ", ".join(tool.input.model_fields) or "none"
            fields[name] = f"unknown argument; {tool.name} takes: {known}"
        elif problem["type"] == "missing":
            fields[name] = "required"
        else:
            fields[name] = problem["msg"].removeprefix("Value error, ")[:200]
        if len(fields) == 10:
            break
    listing = "; ".join(f"{name}: {text}" for name, text in fields.items())
    return Validation(f"{tool.name} refused its arguments: {listing}. Nothing was changed.", fields=fields)


def _public(error: Exception, name: str) -> PublicError:
    if isinstance(error, OperationalError | InterfaceError):
        logger.warning("the database did not serve %s: %s", name, type(error).__name__)
        return Unavailable(
            "The database is busy or away. Wait a second, then repeat the call.", retry_after_ms=1000
        )
    logger.error("%s failed", name, exc_info=error)
    kind = "The server could not store this" if isinstance(error, DatabaseError) else "The server failed"
    return Internal(
        f"{kind}. Nothing was changed. Repeat the call once; if it fails again, tell the operator."
    )


def _meta(actor: AgentActor) -> dict[str, Any]:
    return {"pending_mentions": actor.pending_mentions}
