"""The methods of MCP that this server speaks, the same in both revisions."""

from __future__ import annotations

from collections.abc import Mapping
from functools import partial
from math import ceil
from typing import Any, NoReturn

import mcp_types
from mcp_types.version import HANDSHAKE_PROTOCOL_VERSIONS, LATEST_HANDSHAKE_VERSION, MODERN_PROTOCOL_VERSIONS

from agentroom.core.errors import PublicError, RateLimited
from agentroom.gateway import dispatch
from agentroom.gateway.mcp.instructions import INSTRUCTIONS
from agentroom.gateway.mcp.messages import Request
from agentroom.gateway.mcp.surface import Caller, Method, Outcome, Surface, server_info

TTL_MS = 300_000
REQUEST_ID_META = "com.agentroom/request_id"
ERROR_ID_META = "com.agentroom/error_id"


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
                "serverInfo": server_info(),
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
    arguments = request.params.get("arguments") if request.refused is None else partial(_refuse, request.refused)
    try:
        reply = dispatch.call(caller.actor, name, arguments, request_id=caller.request_id)
    except dispatch.UnknownTool:
        message = "Unknown tool. Call tools/list to see the tools that this passport may use."
        raise request.error(mcp_types.INVALID_PARAMS, message) from None
    caller.facts["tool"] = name
    return _tool_outcome(reply, caller)


def _refuse(refusal: PublicError) -> NoReturn:
    raise refusal


def _tool_outcome(reply: dispatch.Reply, caller: Caller) -> Outcome:
    """The same object in both places, on success and on failure alike: clients show the model one of them."""
    error = {} if reply.ok else reply.data["error"]
    meta = {**reply.meta, REQUEST_ID_META: caller.request_id}
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
