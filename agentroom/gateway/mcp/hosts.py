"""The addresses agents connect to: one per native host, and one for everybody else (seed 000, "MCP surface")."""

from __future__ import annotations

from urllib.parse import urlsplit

from django.conf import settings

from identity.models import Host

GENERIC = "/mcp"
PATHS = (GENERIC, *(f"{GENERIC}/{host}" for host in Host.values if host != Host.GENERIC))
WELL_KNOWN = "/.well-known/oauth-protected-resource"


def base_url(scheme: str, asked: str) -> str:
    """The address of this server as the caller knows it.

    On loopback `localhost`, `127.0.0.1` and `[::1]` are equal (00-product.md 3), so the Host asked is kept: clients
    compare addresses as text. Everywhere else the configured address is the only one. `asked` passed the host check.
    """
    if settings.EMBEDDED and urlsplit(f"//{asked}").hostname in {"localhost", "127.0.0.1", "::1"}:
        return f"{scheme}://{asked.lower()}"
    return str(settings.AGENTROOM_BASE_URL)


def metadata_url(base: str, path: str) -> str:
    """Where the protected-resource metadata of `path` stands (RFC 9728, 3.1)."""
    return f"{base}{WELL_KNOWN}{path}"


def allowed_origins(base: str) -> set[str]:
    """Web pages that may call: our own, and those the operator named."""
    return {base, *settings.MCP_ALLOWED_ORIGINS}
