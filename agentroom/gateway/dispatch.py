"""One call of one tool: rate → scope → input → operation → answer, or one public error. Both doors use it."""

from __future__ import annotations

import json
from dataclasses import dataclass, field, replace
from typing import Any

from agentroom.core import ids, ratelimit
from agentroom.core.contract import Retired, Tool, registry
from agentroom.core.errors import Category, ForbiddenScope, PublicError
from agentroom.core.schema import describe
from agentroom.gateway.arguments import hints_of, validated
from agentroom.gateway.faults import public_error
from identity.actors import AgentActor
from identity.operations.instances import seen

DIAGNOSE = "diagnose_error"


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
    """Run one tool for `actor`. Raises only `UnknownTool`; every other failure is a `Reply` with a public error.

    `arguments` may be a function that reads them, so that a caller over budget does not even cost the reading.
    """
    record = registry.get(name)
    if record is None:
        raise UnknownTool(name)
    actor = replace(actor, request_id=request_id)
    meta = {"pending_mentions": actor.pending_mentions}
    try:
        data = _run(actor, record, arguments)
    except PublicError as error:
        return failure(error, request_id, meta, tool=name)
    except Exception as error:
        return failure(public_error(error, name), request_id, meta, tool=name)
    return Reply(True, 200, data, _counted_again(meta, data))


def failure(error: PublicError, request_id: str, meta: dict[str, Any] | None = None, *, tool: str = "") -> Reply:
    """The one rendering of a refused call."""
    body = error.body(request_id, ids.error_id())
    if _can_be_diagnosed(error, tool):
        body["next_action"] = {"tool": DIAGNOSE, "arguments": {"error_id": body["error_id"]}}
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
    own, hints = hints_of(record, arguments() if callable(arguments) else arguments)
    given = validated(record.name, record.input, own)
    # Only now: a refused call must not even leave a trace of presence.
    return record.run(seen(actor, hints), given).wire()


def _counted_again(meta: dict[str, Any], data: dict[str, Any]) -> dict[str, Any]:
    """A tool that counted the inbox after its change knows better than the count read with the credential."""
    pending = data.get("pending")
    if isinstance(pending, dict) and "mentions" in pending:
        return {**meta, "pending_mentions": pending["mentions"]}
    return meta


def _can_be_diagnosed(error: PublicError, tool: str) -> bool:
    """Not the failure of the diagnosis itself, and not one met before there was a caller to diagnose it."""
    return tool != DIAGNOSE and error.category != Category.AUTH and registry.get(DIAGNOSE) is not None
