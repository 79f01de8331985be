"""A forwarded address or scheme is believed from a configured proxy, and from nobody else."""

from __future__ import annotations

import pytest

from agentroom.core.peers import TrustedPeers
from tests.runtime.asgi import scope

FORGED = {"X-Forwarded-For": "203.0.113.9", "X-Forwarded-Proto": "https"}


def seen(peers: list[str], headers: dict[str, str], client: tuple[str, int] | None = ("10.0.0.1", 1)):
    asked = scope("/", "GET", headers, client)
    TrustedPeers(peers).apply(asked)
    return asked


def test_nobody_is_believed_by_default():
    asked = seen([], FORGED)
    assert (asked["client"], asked["scheme"]) == (("10.0.0.1", 1), "http")


def test_a_stranger_is_not_believed_beside_a_trusted_proxy():
    assert seen(["10.9.0.0/16"], FORGED)["client"] == ("10.0.0.1", 1)


@pytest.mark.parametrize("peers", [["10.0.0.1"], ["10.0.0.0/8"], ["192.0.2.1", "10.0.0.0/24"]])
def test_a_trusted_proxy_is_believed(peers):
    asked = seen(peers, FORGED)
    assert (asked["client"][0], asked["scheme"]) == ("203.0.113.9", "https")


def test_a_proxy_on_a_unix_socket_is_named_by_a_word():
    assert seen(["unix"], FORGED, client=None)["client"][0] == "203.0.113.9"
    assert seen(["10.0.0.1"], FORGED, client=None)["client"] is None


def test_the_client_is_the_last_hop_that_is_no_proxy_of_ours():
    forged = {"X-Forwarded-For": "198.51.100.7, 203.0.113.9, 10.0.0.2"}
    assert seen(["10.0.0.0/24"], forged)["client"][0] == "203.0.113.9"


def test_a_scheme_that_is_none_changes_nothing():
    assert seen(["10.0.0.1"], {"X-Forwarded-Proto": "gopher"})["scheme"] == "http"


def test_no_forwarded_header_reaches_the_application():
    names = {
        name for name, _ in seen(["10.0.0.1"], {**FORGED, "Forwarded": "for=1", "X-Forwarded-Host": "e"})["headers"]
    }
    assert names == {b"host"}


def test_a_header_with_an_underscore_is_dropped():
    names = {name for name, _ in seen([], {"X_Forwarded_For": "1", "X-Custom": "2"})["headers"]}
    assert names == {b"host", b"x-custom"}
