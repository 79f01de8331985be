"""Who is at the other end: the forwarded address and scheme are believed from configured proxies only."""

from __future__ import annotations

from collections.abc import Sequence
from ipaddress import ip_address, ip_network
from typing import Any

Headers = list[tuple[bytes, bytes]]

FORWARDED = {b"forwarded", b"x-forwarded-for", b"x-forwarded-proto", b"x-forwarded-host", b"x-forwarded-port"}


class TrustedPeers:
    """Addresses and networks of proxies; the word `unix` stands for a proxy on a Unix socket."""

    def __init__(self, peers: Sequence[str]) -> None:
        self._unix = "unix" in peers
        self._networks = [ip_network(peer) for peer in peers if peer != "unix"]

    def has(self, address: str | None) -> bool:
        if not address:
            return self._unix
        if not self._networks:
            return False
        try:
            known = ip_address(address)
        except ValueError:
            return False
        return any(known in network for network in self._networks)

    def apply(self, scope: dict[str, Any]) -> None:
        """Rewrite `client` and `scheme` from a trusted proxy's headers, and drop what could pass for them."""
        headers: Headers = scope["headers"]
        if self.has(_address(scope)):
            self._believe(scope, headers)
        # A name with an underscore reads like its hyphen twin once it is a META key (CVE-2026-3902).
        scope["headers"] = [(name, value) for name, value in headers if name not in FORWARDED and b"_" not in name]

    def _believe(self, scope: dict[str, Any], headers: Headers) -> None:
        chain = _words(headers, b"x-forwarded-for")
        client = next((hop for hop in reversed(chain) if not self.has(hop)), chain[0] if chain else None)
        if client:
            scope["client"] = (client, 0)
        scheme = _words(headers, b"x-forwarded-proto")[-1:]
        if scheme in (["http"], ["https"]):
            secure = scheme == ["https"]
            names = ("wss", "ws") if scope["type"] == "websocket" else ("https", "http")
            scope["scheme"] = names[0] if secure else names[1]


def _address(scope: dict[str, Any]) -> str | None:
    client = scope.get("client")
    return client[0] if client else None


def _words(headers: Headers, wanted: bytes) -> list[str]:
    joined = b",".join(value for name, value in headers if name == wanted).decode("latin-1")
    return [word.strip() for word in joined.split(",") if word.strip()]
