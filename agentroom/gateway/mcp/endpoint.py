"""The agents' endpoint: a bare ASGI application, so that no request pays for a Django view (mcp.md 3).

Host, body caps and security headers are the edge's. Here: path → origin → credential → method → content types → body.
"""

from __future__ import annotations

from collections.abc import Awaitable, Callable
from typing import Any

from django.conf import settings

from agentroom.core import ids
from agentroom.core.errors import IdentityRequired, InvalidPassport, NotFound, PublicError, Revoked, Unavailable
from agentroom.core.scopes import DEFAULT
from agentroom.core.threads import in_pool
from agentroom.gateway import dispatch
from agentroom.gateway.faults import public_error
from agentroom.gateway.mcp import hosts, messages
from agentroom.gateway.mcp.fixtures import SURFACE as FIXTURES
from agentroom.gateway.mcp.methods import PRODUCT
from agentroom.gateway.mcp.negotiation import Asked, Refused, presented, require_json, require_origin, require_post
from agentroom.gateway.mcp.surface import Answer, Caller, answer
from identity.actors import AgentActor
from identity.authentication import authenticate

Scope = dict[str, Any]
Receive = Callable[[], Awaitable[dict[str, Any]]]
Send = Callable[[dict[str, Any]], Awaitable[None]]


async def application(scope: Scope, receive: Receive, send: Send) -> None:
    request_id = scope.get("request_id") or ids.request_id()
    facts = scope.get("facts", {})
    facts["route"] = scope["path"] if scope["path"] in hosts.PATHS else "/mcp/?"
    try:
        answered = await _answer(Asked.of(scope), receive, request_id, facts)
    except Refused as refusal:
        answered = _refusal(refusal, request_id, facts)
    except Unavailable as error:
        answered = _refusal(_away(error), request_id, facts)
    if answered is not None:
        await _send(answered, send)


async def _answer(asked: Asked, receive: Receive, request_id: str, facts: dict[str, Any]) -> Answer | None:
    if asked.path not in hosts.PATHS:
        known = ", ".join(hosts.PATHS)
        raise Refused(NotFound(f"There is no agents' endpoint at this path. Connect to one of {known}."), 404)
    require_origin(asked)
    if asked.is_short:
        body = await _read(receive)
        return None if body is None else await in_pool(_served, asked, body, request_id, facts)
    actor = await in_pool(_admitted, asked, facts)
    body = await _read(receive)
    return None if body is None else await in_pool(_answered, asked, actor, body, request_id, facts)


def _served(asked: Asked, body: bytes, request_id: str, facts: dict[str, Any]) -> Answer:
    """A call in one visit to the thread pool. A long body is not even read before its sender is known."""
    return _answered(asked, _admitted(asked, facts), body, request_id, facts)


def _admitted(asked: Asked, facts: dict[str, Any]) -> AgentActor:
    actor = _authenticated(asked)
    facts["actor"] = actor.key
    require_post(asked)
    require_json(asked)
    return actor


def _answered(asked: Asked, actor: AgentActor, body: bytes, request_id: str, facts: dict[str, Any]) -> Answer:
    surface = FIXTURES if settings.MCP_CONFORMANCE_FIXTURES else PRODUCT
    return answer(body, asked.headers, Caller(actor, request_id, facts), surface)


def _authenticated(asked: Asked) -> AgentActor:
    try:
        token, via_url = presented(asked)
        return authenticate(token, resource=asked.resource, via_url=via_url)
    except (IdentityRequired, InvalidPassport, Revoked) as error:
        raise Refused(error, error.status, ("WWW-Authenticate", _challenge(asked, error))) from None
    except Exception as failure:
        raise _away(public_error(failure, "authentication")) from failure


def _away(error: PublicError) -> Refused:
    return Refused(error, error.status, ("Retry-After", "1"))


def _challenge(asked: Asked, error: PublicError) -> str:
    """Tells a client where to log in and what to ask for (RFC 9728 5.1, RFC 6750 3)."""
    cause = "" if isinstance(error, IdentityRequired) else 'error="invalid_token", '
    metadata = hosts.metadata_url(asked.base, asked.path)
    return f'Bearer {cause}resource_metadata="{metadata}", scope="{" ".join(DEFAULT.names)}"'


async def _read(receive: Receive) -> bytes | None:
    """The whole body; None when the caller went away. The edge counts, and stops what is over the cap."""
    body = bytearray()
    while True:
        message = await receive()
        if message["type"] == "http.disconnect":
            return None
        body += message.get("body", b"")
        if not message.get("more_body", False):
            return bytes(body)


def _refusal(refusal: Refused, request_id: str, facts: dict[str, Any]) -> Answer:
    error = {**dispatch.failure(refusal.error, request_id).data["error"], "status": refusal.status}
    facts |= {"code": error["code"], "error_id": error["error_id"]}
    return Answer(refusal.status, messages.encode({"error": error}), refusal.headers)


async def _send(answered: Answer, send: Send) -> None:
    headers = [("Cache-Control", "no-store"), ("Content-Length", str(len(answered.body))), *answered.headers]
    if answered.body:
        headers.append(("Content-Type", answered.media_type))
    raw = [(name.lower().encode("latin-1"), value.encode("latin-1")) for name, value in headers]
    await send({"type": "http.response.start", "status": answered.status, "headers": raw})
    await send({"type": "http.response.body", "body": answered.body})
