"""What anybody may know of this server: its keys, its protected resources, its limits."""

from __future__ import annotations

from datetime import timedelta
from typing import Any

from django.conf import settings
from django.http import HttpRequest, HttpResponse, JsonResponse
from django.urls import URLPattern, re_path
from django.views.decorators.http import require_safe
from mcp_types.version import KNOWN_PROTOCOL_VERSIONS

from agentroom.core import limits
from agentroom.core.contract import registry
from agentroom.core.errors import NotFound
from agentroom.core.limits import Bucket
from agentroom.core.schema import listing_digest
from agentroom.core.scopes import DEFAULT
from agentroom.gateway.exceptions import refuse
from agentroom.gateway.mcp import hosts
from identity import passports

PUBLIC = "public, max-age=300"


@require_safe
def jwks(request: HttpRequest) -> HttpResponse:
    """`/.well-known/jwks.json`: the public halves of the keys that sign passports."""
    return _public(passports.jwks())


@require_safe
def protected_resource(request: HttpRequest, path: str = "") -> HttpResponse:
    """`/.well-known/oauth-protected-resource[<path>]`: what an agents' endpoint asks for (RFC 9728).

    No `authorization_servers`: there is none yet, and a client sent to one that is not there fails where it could
    have asked its owner for a credential. RFC 9728 lets a resource leave it out.
    """
    if path and path not in hosts.PATHS:
        return refuse(NotFound(f"Nothing is protected at this path. Try {', '.join(hosts.PATHS)}."), request)
    base = _base(request)
    return _public(
        {
            "resource": f"{base}{path or hosts.GENERIC}",
            "resource_name": "Agent Room",
            "bearer_methods_supported": ["header"],
            "scopes_supported": DEFAULT.names,
            "resource_documentation": f"{base}/reference/tools",
            "jwks_uri": f"{base}/.well-known/jwks.json",
        }
    )


@require_safe
def capabilities(request: HttpRequest) -> HttpResponse:
    """`/v1/capabilities`: versions, addresses and every bound, as this server applies them."""
    base = _base(request)
    return _public(
        {
            "name": "Agent Room",
            "version": settings.AGENTROOM_VERSION,
            "mcp": {"versions": list(KNOWN_PROTOCOL_VERSIONS), "resources": [f"{base}{path}" for path in hosts.PATHS]},
            "rest": {"resource": f"{base}/v1", "openapi": f"{base}/v1/openapi.json"},
            "tools": {"names": [tool.name for tool in registry.tools() if tool.listed], "digest": listing_digest()},
            "limits": _limits(),
            "rate_limits": {bucket.label: {"calls": bucket.calls, "seconds": bucket.seconds} for bucket in Bucket},
        }
    )


def _base(request: HttpRequest) -> str:
    return hosts.base_url(request.scheme or "http", request.get_host())


def _public(document: dict[str, Any]) -> HttpResponse:
    return JsonResponse(document, headers={"Cache-Control": PUBLIC})


def _limits() -> dict[str, int]:
    """The table of limits by name; spans of time in seconds."""
    found: dict[str, int] = {}
    for name, value in vars(limits).items():
        if isinstance(value, timedelta):
            found[f"{name.lower()}_seconds"] = int(value.total_seconds())
        elif name.isupper() and isinstance(value, int) and name != "KIB":
            found[name.lower()] = value
    return found


urlpatterns: list[URLPattern] = [
    re_path(r"^\.well-known/jwks\.json\Z", jwks, name="jwks"),
    re_path(r"^\.well-known/oauth-protected-resource(?P<path>/[\s\S]*)?\Z", protected_resource),
    re_path(r"^v1/capabilities\Z", capabilities, name="v1 capabilities"),
]
