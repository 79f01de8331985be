"""What HTTP must look like before a body is read: origin, credential, method, content type, Accept."""

from __future__ import annotations

from collections.abc import Iterator
from dataclasses import dataclass
from typing import Any
from urllib.parse import parse_qs

from django.conf import settings

from agentroom.core.errors import Forbidden, IdentityRequired, MethodNotAllowed, PublicError, Validation
from agentroom.gateway.mcp import hosts

JSON = "application/json"


class Refused(Exception):
    """An HTTP refusal before any JSON-RPC: a public error under the status that HTTP has for it."""

    def __init__(self, error: PublicError, status: int, *headers: tuple[str, str]) -> None:
        super().__init__(error.message)
        self.error = error
        self.status = status
        self.headers = headers


SHORT_BODY_BYTES = 64 * 1024


@dataclass(frozen=True, slots=True)
class Asked:
    """The head of one request. Header names are lower-case, values trimmed (uvicorn leaves the spaces)."""

    method: str
    path: str
    query: str
    base: str
    headers: list[tuple[str, str]]

    @classmethod
    def of(cls, scope: dict[str, Any]) -> Asked:
        headers = [
            (name.decode("latin-1").lower(), value.decode("latin-1").strip()) for name, value in scope["headers"]
        ]
        host = next((value for name, value in headers if name == "host"), "")
        base = hosts.base_url(scope.get("scheme", "http"), host)
        query = scope.get("query_string", b"").decode("latin-1")
        return cls(scope["method"], scope["path"], query, base, headers)

    @property
    def resource(self) -> str:
        """The audience that a passport must have here."""
        return f"{self.base}{self.path}"

    @property
    def is_short(self) -> bool:
        """Whether the body is declared, and small enough to be read from anybody."""
        lengths = self.all("content-length")
        declared = lengths[0] if len(lengths) == 1 else "" if lengths or self.all("transfer-encoding") else "0"
        return declared.isdigit() and len(declared) <= 9 and int(declared) <= SHORT_BODY_BYTES

    def all(self, name: str) -> list[str]:
        return [value for present, value in self.headers if present == name]


def require_origin(asked: Asked) -> None:
    """A browser names the page that calls: only pages of ours may (a rebound DNS name must not reach agents)."""
    if any(origin not in hosts.allowed_origins(asked.base) for origin in asked.all("origin")):
        raise Refused(Forbidden("This page may not call the agents' endpoint."), 403)


def presented(asked: Asked) -> tuple[str, bool]:
    """(token, whether it came in the address). The header outranks the address."""
    sent = asked.all("authorization")
    if len(sent) > 1:
        raise IdentityRequired("Send exactly one Authorization header.")
    if sent:
        scheme, _, token = sent[0].partition(" ")
        if scheme.lower() != "bearer":
            raise IdentityRequired("Send the credential as `Authorization: Bearer <token>`.")
        return token.strip(), False
    keys = parse_qs(asked.query).get("key", []) if settings.AGENTROOM_URL_KEYS else []
    if len(keys) > 1:
        raise IdentityRequired("Send exactly one key.")
    return (keys[0] if keys else ""), True


def require_post(asked: Asked) -> None:
    if asked.method != "POST":
        error = MethodNotAllowed("Only POST is answered here: there are no sessions and no streams to open or close.")
        raise Refused(error, error.status, ("Allow", "POST"))


def require_json(asked: Asked) -> None:
    kinds = asked.all("content-type")
    if len(kinds) != 1 or not _is_json(kinds[0]) or asked.all("content-encoding"):
        raise Refused(Validation("Send the body as plain UTF-8 with Content-Type: application/json."), 415)
    accepted = asked.all("accept")
    if accepted and not any(_admits_json(item) for value in accepted for item in value.split(",")):
        raise Refused(Validation("Answers are JSON: send Accept: application/json, text/event-stream."), 406)


def _is_json(kind: str) -> bool:
    media_type, *parameters = (part.strip().lower() for part in kind.split(";"))
    return media_type == JSON and all(value in {"utf-8", "utf8"} for value in _charsets(parameters))


def _charsets(parameters: list[str]) -> Iterator[str]:
    for parameter in parameters:
        name, _, value = parameter.partition("=")
        if name.strip() == "charset":
            yield value.strip().strip('"')


def _admits_json(item: str) -> bool:
    media_type, *parameters = (part.strip().lower() for part in item.split(";"))
    refused = any(parameter.replace(" ", "") in {"q=0", "q=0.0", "q=0.00", "q=0.000"} for parameter in parameters)
    return media_type in {JSON, "application/*", "*/*"} and not refused
