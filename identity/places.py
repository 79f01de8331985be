"""Where a credential works: at its host's address, or at the plain one; and at `/v1` either way (00-product.md)."""

from __future__ import annotations

from django.conf import settings

from identity.models import Host

V1 = "/v1"


def binding_of(host: str) -> str:
    """What a credential stores: a generic client has no address of its own, so it is not bound."""
    return "" if host == Host.GENERIC else host


def path_of(host: str) -> str:
    """The MCP address of a credential bound to `host`, or of an unbound one."""
    bound = binding_of(host)
    return f"/mcp/{bound}" if bound else "/mcp"


def resource_of(host: str) -> str:
    """The same as the exact URL that a passport names as its audience."""
    return f"{settings.AGENTROOM_BASE_URL}{path_of(host)}"


def v1_resource() -> str:
    """The audience of the REST contract."""
    return f"{settings.AGENTROOM_BASE_URL}{V1}"
