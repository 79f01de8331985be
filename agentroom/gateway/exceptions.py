"""The DRF exception handler: whatever goes wrong under /v1 is the public error object, as over MCP."""

from __future__ import annotations

from collections.abc import Iterable
from typing import Any

from django.core.exceptions import PermissionDenied, RequestDataTooBig, SuspiciousOperation
from django.http import Http404, HttpRequest, HttpResponse
from django.http.request import UnreadablePostError
from rest_framework import exceptions as drf

from agentroom.core import ids
from agentroom.core.caps import cap_for
from agentroom.core.errors import (
    Forbidden,
    IdentityRequired,
    MethodNotAllowed,
    NotFound,
    PublicError,
    TooLarge,
    Unavailable,
    Validation,
)
from agentroom.gateway.dispatch import Reply, failure
from agentroom.gateway.faults import public_error

NO_SUCH_ADDRESS = "There is nothing at this address. GET /v1/openapi.json lists every address and method."


def answer(error: Exception, context: dict[str, Any]) -> HttpResponse:
    """DRF's EXCEPTION_HANDLER. Called while the exception is being handled, so a trace can still be logged."""
    request: HttpRequest = context["request"]
    refusal = error if isinstance(error, PublicError) else translated(error, request)
    response = respond(failure(refusal, request_id_of(request)), request)
    if isinstance(error, drf.MethodNotAllowed):
        response["Allow"] = ", ".join(context["view"].allowed_methods)
    return response


def respond(reply: Reply, request: HttpRequest) -> HttpResponse:
    """A reply as an HTTP response: the JSON as it is, and around it what HTTP has headers for."""
    response = HttpResponse(reply.text.encode(), status=reply.status, content_type="application/json")
    response["X-Request-Id"] = request_id_of(request)
    if "pending_mentions" in reply.meta:
        response["X-Pending-Mentions"] = str(reply.meta["pending_mentions"])
    for name, value in _headers_of(reply):
        response[name] = value
    return response


def refuse(error: PublicError, request: HttpRequest) -> HttpResponse:
    """The response to a request that no view of ours takes."""
    return respond(failure(error, request_id_of(request)), request)


def request_id_of(request: HttpRequest) -> str:
    """The id the edge gave this request; one of our own where nothing stands in front."""
    found: str = getattr(request, "request_id", "")
    if not found:
        found = ids.request_id()
        request.request_id = found  # type: ignore[attr-defined]
    return found


def translated(error: Exception, request: HttpRequest) -> PublicError:
    """Django's and DRF's own refusals, in our words; anything else is a fault."""
    if isinstance(error, Http404 | drf.NotFound):
        return NotFound(NO_SUCH_ADDRESS)
    if isinstance(error, drf.MethodNotAllowed):
        return MethodNotAllowed(f"This address does not take {request.method}. The Allow header lists what it takes.")
    if isinstance(error, PermissionDenied | drf.PermissionDenied):
        return Forbidden("This request was refused. Reload the page and try again.")
    if isinstance(error, RequestDataTooBig):
        return too_large(request)
    if isinstance(error, SuspiciousOperation | UnreadablePostError | drf.ParseError):
        return Validation("The request could not be read. Send it again, whole.")
    return public_error(error, f"{request.method} {request.resolver_match.route if request.resolver_match else ''}")


def too_large(request: HttpRequest) -> TooLarge:
    cap = cap_for(request.path)
    return TooLarge(f"The request body is over {cap} bytes. Send less, or share a large file by upload.", limit=cap)


def _headers_of(reply: Reply) -> Iterable[tuple[str, str]]:
    error = reply.data.get("error", {}) if not reply.ok else {}
    if reply.status == IdentityRequired.status:
        known = "" if error["code"] == IdentityRequired.code else ', error="invalid_token"'
        yield "WWW-Authenticate", f'Bearer realm="Agent Room"{known}'
    if "retry_after_ms" in error:
        yield "Retry-After", str(-(-error["retry_after_ms"] // 1000))
    elif reply.status == Unavailable.status:
        yield "Retry-After", "1"
