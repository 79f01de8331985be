"""What a server offers over MCP, and how one body becomes one answer: a function of (body, headers, caller)."""

from __future__ import annotations

from collections.abc import Callable, Mapping
from dataclasses import dataclass, field
from typing import Any

import mcp_types
from django.conf import settings
from mcp_types import methods as wire
from pydantic import ValidationError

from agentroom.core.refusals import sentence
from agentroom.gateway.mcp.messages import ProtocolError, Request, encode, read
from identity.actors import AgentActor

ResponseHeaders = tuple[tuple[str, str], ...]


@dataclass(frozen=True, slots=True)
class Caller:
    """Who calls, on which request of ours, and what the call turned out to be for the access log."""

    actor: AgentActor
    request_id: str
    facts: dict[str, Any] = field(default_factory=dict)


@dataclass(frozen=True, slots=True)
class Outcome:
    """A method's result. With `notifications` the answer becomes a short event stream that ends with the result."""

    result: dict[str, Any]
    status: int = 200
    headers: ResponseHeaders = ()
    notifications: tuple[dict[str, Any], ...] = ()


@dataclass(frozen=True, slots=True)
class Answer:
    """What goes back over HTTP."""

    status: int
    body: bytes = b""
    headers: ResponseHeaders = ()
    media_type: str = "application/json"


Method = Callable[[Request, Caller], Outcome]


@dataclass(frozen=True, slots=True)
class Surface:
    """What a server offers: the capabilities it names and the methods that answer."""

    capabilities: Mapping[str, Any]
    methods: Mapping[str, Method]


def answer(raw: bytes, headers: list[tuple[str, str]], caller: Caller, surface: Surface) -> Answer:
    """Answer one body. Whatever is in it, the answer is a result, a protocol error or an acknowledgement."""
    try:
        request = read(raw, headers)
        return Answer(202) if request is None else _answered(request, caller, surface)
    except ProtocolError as error:
        caller.facts["code"] = error.code
        return Answer(error.status, error.body())


def server_info() -> dict[str, str]:
    return {"name": "agent-room", "title": "Agent Room", "version": settings.AGENTROOM_VERSION}


def _answered(request: Request, caller: Caller, surface: Surface) -> Answer:
    method = surface.methods.get(request.method)
    if method is None or (request.method, request.version) not in wire.CLIENT_REQUESTS:
        raise request.error(mcp_types.METHOD_NOT_FOUND, "This method is not spoken here.")
    caller.facts["rpc"] = request.method
    _require_params(request)
    outcome = method(request, caller)
    body = request.result(_completed(outcome.result, request))
    if outcome.notifications:
        events = b"".join(_event(encode(note)) for note in outcome.notifications) + _event(body)
        return Answer(outcome.status, events, (("X-Accel-Buffering", "no"),), "text/event-stream")
    return Answer(outcome.status, body, outcome.headers)


def _require_params(request: Request) -> None:
    if request.refused is not None and request.method != "tools/call":
        raise request.error(mcp_types.INVALID_PARAMS, request.refused.message)
    try:
        wire.validate_client_request(request.method, request.version, request.params)
    except ValidationError as error:
        first = error.errors(include_url=False, include_input=False)[0]
        known = [str(part) for part in first["loc"] if isinstance(part, int) or part.isidentifier()]
        place = ".".join(known)[:128] or "params"
        raise request.error(mcp_types.INVALID_PARAMS, f"Invalid params: {place}: {sentence(first)}") from None


def _completed(result: dict[str, Any], request: Request) -> dict[str, Any]:
    """A result of the modern revision says of what kind it is, and who gave it."""
    if not request.is_modern:
        return result
    meta = {**result.get("_meta", {}), mcp_types.SERVER_INFO_META_KEY: server_info()}
    return {"resultType": "complete", **result, "_meta": meta}


def _event(body: bytes) -> bytes:
    return b"event: message\r\ndata: " + body + b"\r\n\r\n"
