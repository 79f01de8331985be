"""The methods of MCP that this server speaks: a function of (body, headers, caller), the same in both revisions."""

from __future__ import annotations

from collections.abc import Callable, Mapping
from dataclasses import dataclass, field
from math import ceil
from typing import Any

import mcp_types
from django.conf import settings
from mcp_types import methods as wire
from mcp_types.version import HANDSHAKE_PROTOCOL_VERSIONS, LATEST_HANDSHAKE_VERSION, MODERN_PROTOCOL_VERSIONS
from pydantic import ValidationError

from agentroom.core.contract import registry
from agentroom.core.errors import RateLimited
from agentroom.gateway import dispatch
from agentroom.gateway.mcp.instructions import INSTRUCTIONS
from agentroom.gateway.mcp.messages import ProtocolError, Request, encode, read
from identity.actors import AgentActor

TTL_MS = 300_000
REQUEST_ID_META = "com.agentroom/request_id"
ERROR_ID_META = "com.agentroom/error_id"

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
        first = error.errors(include_url=False, include_input=False, include_context=False)[0]
        known = [str(part) for part in first["loc"] if isinstance(part, int) or part.isidentifier()]
        place = ".".join(known)[:128] or "params"
        raise request.error(mcp_types.INVALID_PARAMS, f"Invalid params: {place}: {first['msg']}") from None


def _completed(result: dict[str, Any], request: Request) -> dict[str, Any]:
    """A result of the modern revision says of what kind it is, and who gave it."""
    if not request.is_modern:
        return result
    meta = {**result.get("_meta", {}), mcp_types.SERVER_INFO_META_KEY: _server_info()}
    return {"resultType": "complete", **result, "_meta": meta}


def _event(body: bytes) -> bytes:
    return b"event: message\r\ndata: " + body + b"\r\n\r\n"


def _server_info() -> dict[str, str]:
    return {"name": "agent-room", "title": "Agent Room", "version": settings.AGENTROOM_VERSION}


def discovered(capabilities: Mapping[str, Any]) -> Method:
    """`server/discover` of a server with these capabilities."""

    def discover(request: Request, caller: Caller) -> Outcome:
        return Outcome(
            {
                "supportedVersions": list(MODERN_PROTOCOL_VERSIONS),
                "capabilities": capabilities,
                "instructions": INSTRUCTIONS,
                "ttlMs": TTL_MS,
                "cacheScope": "public",
            }
        )

    return discover


def initialized(capabilities: Mapping[str, Any]) -> Method:
    """The handshake of a server with these capabilities. It binds nobody to anything: there is no session."""

    def initialize(request: Request, caller: Caller) -> Outcome:
        asked = request.params["protocolVersion"]
        version = asked if asked in HANDSHAKE_PROTOCOL_VERSIONS else LATEST_HANDSHAKE_VERSION
        return Outcome(
            {
                "protocolVersion": version,
                "capabilities": capabilities,
                "serverInfo": _server_info(),
                "instructions": INSTRUCTIONS,
            }
        )

    return initialize


def ping(request: Request, caller: Caller) -> Outcome:
    return Outcome({})


def list_tools(request: Request, caller: Caller) -> Outcome:
    require_first_page(request)
    return Outcome({"tools": dispatch.listed(caller.actor), "ttlMs": TTL_MS, "cacheScope": "private"})


def require_first_page(request: Request) -> None:
    """Lists are short and come whole, so no cursor was ever given out."""
    if request.params.get("cursor") is not None:
        raise request.error(mcp_types.INVALID_PARAMS, "Unknown cursor: this list has one page.")


def call_tool(request: Request, caller: Caller) -> Outcome:
    """Run a tool. Its refusals are results, which the model sees; only an unknown name is a protocol error."""
    name = request.params["name"]
    if registry.get(name) is None:
        message = "Unknown tool. Call tools/list to see the tools that this passport may use."
        raise request.error(mcp_types.INVALID_PARAMS, message)
    caller.facts["tool"] = name
    if request.refused is not None:
        reply = dispatch.failure(request.refused, caller.request_id)
    else:
        reply = dispatch.call(caller.actor, name, request.params.get("arguments"), request_id=caller.request_id)
    return _tool_outcome(reply, caller)


def _tool_outcome(reply: dispatch.Reply, caller: Caller) -> Outcome:
    """The same object in both places, on success and on failure alike: clients show the model one of them."""
    error = {} if reply.ok else reply.data["error"]
    meta = {"pending_mentions": caller.actor.pending_mentions, **reply.meta, REQUEST_ID_META: caller.request_id}
    if error:
        caller.facts.update(code=error["code"], error_id=error["error_id"])
        meta[ERROR_ID_META] = error["error_id"]
    result = {
        "content": [{"type": "text", "text": reply.text}],
        "structuredContent": reply.data,
        "isError": not reply.ok,
        "_meta": meta,
    }
    if error.get("code") != RateLimited.code:
        return Outcome(result)
    wait = max(1, ceil(error.get("retry_after_ms", 1000) / 1000))
    return Outcome(result, RateLimited.status, (("Retry-After", str(wait)),))


CAPABILITIES = {"tools": {"listChanged": False}}

PRODUCT = Surface(
    capabilities=CAPABILITIES,
    methods={
        "server/discover": discovered(CAPABILITIES),
        "initialize": initialized(CAPABILITIES),
        "ping": ping,
        "tools/list": list_tools,
        "tools/call": call_tool,
    },
)
