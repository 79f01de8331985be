"""The agents' endpoint: a bare ASGI application, so that no request pays for a Django view (mcp.md 3).

Host, body caps and security headers are the edge's. Here: path → origin → credential → method → content types → body.
"""

from __future__ import annotations

import logging
from collections.abc import Awaitable, Callable
from typing import Any

from django.conf import settings

from agentroom.core import ids
from agentroom.core.errors import IdentityRequired, InvalidPassport, NotFound, PublicError, Revoked
from agentroom.core.failures import public_error
from agentroom.core.scopes import DEFAULT
from agentroom.core.threads import in_pool
from agentroom.gateway.mcp import hosts, messages, methods
from agentroom.gateway.mcp.fixtures import SURFACE as FIXTURES
from agentroom.gateway.mcp.methods import Answer, Caller
from agentroom.gateway.mcp.negotiation import Asked, Refused, presented, require_json, require_origin, require_post
from identity.actors import AgentActor
from identity.authentication import authenticate

logger = logging.getLogger(__name__)

Scope = dict[str, Any]
Receive = Callable[[], Awaitable[dict[str, Any]]]
Send = Callable[[dict[str, Any]], Awaitable[None]]


async def application(scope: Scope, receive: Receive, send: Send) -> None:
    request_id = scope.get("request_id") or ids.request_id()
    facts = scope.get("facts", {})
    facts["route"] = scope["path"] if scope["path"] in hosts.PATHS else "/mcp/?"
    try:
        answer = await _answer(Asked.of(scope), receive, request_id, facts)
    except Refused as refusal:
        answer = _refusal(refusal, request_id, facts)
    if answer is not None:
        await _send(answer, send)


async def _answer(asked: Asked, receive: Receive, request_id: str, facts: dict[str, Any]) -> Answer | None:
    if asked.path not in hosts.PATHS:
        known = ", ".join(hosts.PATHS)
        raise Refused(NotFound(f"There is no agents' endpoint at this path. Connect to one of {known}."), 404)
    require_origin(asked)
    actor = await _authenticated(asked)
    facts["actor"] = actor.key
    require_post(asked)
    require_json(asked)
    body = await _read(receive)
    if body is None:
        return None
    surface = FIXTURES if settings.MCP_CONFORMANCE_FIXTURES else methods.PRODUCT
    return await in_pool(methods.answer, body, asked.headers, Caller(actor, request_id, facts), surface)


async def _authenticated(asked: Asked) -> AgentActor:
    try:
        token, via_url = presented(asked)
        return await in_pool(authenticate, token, resource=asked.resource, via_url=via_url)
    except (IdentityRequired, InvalidPassport, Revoked) as error:
        raise Refused(error, error.status, ("WWW-Authenticate", _challenge(asked, error))) from None
    except Exception as failure:
        logger.exception("authentication failed")
        shown = public_error(failure)
        raise Refused(shown, shown.status, ("Retry-After", "2")) from failure


def _challenge(asked: Asked, error: PublicError) -> str:
    """Tells a client where to log in and what to ask for (RFC 9728 5.1, RFC 6750 3)."""
    cause = "" if isinstance(error, IdentityRequired) else 'error="invalid_token", '
    metadata = hosts.metadata_url(asked.base, asked.path)
    return f'Bearer {cause}resource_metadata="{metadata}", scope="{" ".join(DEFAULT.names)}"'


async def _read(receive: Receive) -> bytes | None:
    """The whole body; None when the caller went away. The edge counts, and stops what is over the cap."""
    chunks: list[bytes] = []
    while True:
        message = await receive()
        if message["type"] == "http.disconnect":
            return None
        chunks.append(message.get("body", b""))
        if not message.get("more_body", False):
            return b"".join(chunks)


def _refusal(refusal: Refused, request_id: str, facts: dict[str, Any]) -> Answer:
    body = {**refusal.error.body(request_id, ids.error_id()), "status": refusal.status}
    facts |= {"code": refusal.error.code, "error_id": body["error_id"]}
    return Answer(refusal.status, messages.encode({"error": body}), refusal.headers)


async def _send(answer: Answer, send: Send) -> None:
    headers = [("Cache-Control", "no-store"), ("Content-Length", str(len(answer.body))), *answer.headers]
    if answer.body:
        headers.append(("Content-Type", answer.media_type))
    raw = [(name.lower().encode("latin-1"), value.encode("latin-1")) for name, value in headers]
    await send({"type": "http.response.start", "status": answer.status, "headers": raw})
    await send({"type": "http.response.body", "body": answer.body})
