"""JSON-RPC as MCP frames it: which revision a body speaks, what is wrong with it, and how an answer looks.

Pure: no I/O, no database. The checks are those of the official SDK; the order is mcp.md 1.3.
"""

from __future__ import annotations

import json
from collections.abc import Mapping
from dataclasses import dataclass
from typing import Any

import mcp_types
from mcp.shared import inbound
from mcp_types import methods as wire
from mcp_types.version import HANDSHAKE_PROTOCOL_VERSIONS, KNOWN_PROTOCOL_VERSIONS, MODERN_PROTOCOL_VERSIONS
from pydantic import ValidationError

from agentroom.core import guard
from agentroom.core.errors import Validation

MODERN = MODERN_PROTOCOL_VERSIONS[-1]
# What a handshake client without the version header speaks (2025-03-26 says so).
ASSUMED = "2025-03-26"

RequestId = int | str
Headers = list[tuple[str, str]]


class ProtocolError(Exception):
    """A refusal by the protocol itself: an error object with an HTTP status."""

    def __init__(
        self, code: int, message: str, *, data: Any = None, status: int = 400, id: RequestId | None = None
    ) -> None:
        super().__init__(message)
        self.code = code
        self.message = message
        self.data = data
        self.status = status
        self.id = id

    def body(self) -> bytes:
        error = {"code": self.code, "message": self.message}
        if self.data is not None:
            error["data"] = self.data
        return encode({"jsonrpc": "2.0", "id": self.id, "error": error})


@dataclass(frozen=True, slots=True)
class Request:
    """One request whose envelope is sound. `refused` holds what the input guard found wrong inside it, if anything."""

    id: RequestId
    method: str
    params: dict[str, Any]
    version: str
    headers: Headers
    refused: Validation | None = None

    @property
    def is_modern(self) -> bool:
        return self.version in MODERN_PROTOCOL_VERSIONS

    def error(self, code: int, message: str, data: Any = None) -> ProtocolError:
        """An error that answers this request. Only the modern revision ties a status to it."""
        status = inbound.ERROR_CODE_HTTP_STATUS.get(code, 200) if self.is_modern else 200
        return ProtocolError(code, message, data=data, status=status, id=self.id)

    def result(self, result: Mapping[str, Any]) -> bytes:
        """The answer, in the shape that this revision gives the method's result."""
        shaped = wire.serialize_server_result(self.method, self.version, result)
        return encode({"jsonrpc": "2.0", "id": self.id, "result": shaped})


def read(raw: bytes, headers: Headers) -> Request | None:
    """The request in a body, or None for what is only acknowledged (a notification, a handshake client's response)."""
    body, refused = _parse(raw)
    if isinstance(body, list):
        raise _invalid("batches are not spoken here: send one request at a time")
    if not isinstance(body, dict):
        raise _invalid("the body must be one JSON-RPC request object")
    folded = {name.lower(): value for name, value in headers}
    modern = _speaks_modern(body, folded)
    if "id" not in body:
        _require_notification(body, folded, modern)
        return None
    if "method" not in body and ("result" in body or "error" in body) and not modern:
        return None
    return _request(body, headers, folded, modern, refused)


def encode(value: Any) -> bytes:
    return json.dumps(value, ensure_ascii=False, separators=(",", ":")).encode()


def _parse(raw: bytes) -> tuple[Any, Validation | None]:
    """The value, and the guard's objection to it. Only what no parser understands is a parse error."""
    try:
        return guard.parse_json(raw), None
    except Validation as refused:
        try:
            return json.loads(raw.decode()), refused
        except (ValueError, RecursionError):
            raise ProtocolError(mcp_types.PARSE_ERROR, f"Parse error: {refused.message}") from None


def _speaks_modern(body: dict[str, Any], folded: dict[str, str]) -> bool:
    """The body decides first: then a forgotten header is told so, and does not end up with the older rules."""
    if folded.get(inbound.MCP_PROTOCOL_VERSION_HEADER, ASSUMED) not in HANDSHAKE_PROTOCOL_VERSIONS:
        return True
    params = body.get("params")
    meta = params.get("_meta") if isinstance(params, dict) else None
    named = isinstance(meta, dict) and mcp_types.PROTOCOL_VERSION_META_KEY in meta
    return named and body.get("method") != "initialize"


def _require_notification(body: dict[str, Any], folded: dict[str, str], modern: bool) -> None:
    """No notification of a client means anything to a server without sessions; it is only checked for form."""
    try:
        mcp_types.JSONRPCNotification.model_validate(body)
    except ValidationError:
        raise _invalid("this is neither a request nor a notification") from None
    if modern:
        asked = folded.get(inbound.MCP_PROTOCOL_VERSION_HEADER, "")
        _reject(inbound.unsupported_protocol_version_rejection(asked), None)


def _request(
    body: dict[str, Any], headers: Headers, folded: dict[str, str], modern: bool, refused: Validation | None
) -> Request:
    request_id = _id_of(body)
    if duplicated := inbound.find_duplicated_routing_header(headers):
        problem = f"{duplicated} header appears more than once"
        raise ProtocolError(mcp_types.HEADER_MISMATCH, problem, id=request_id)
    version = folded.get(inbound.MCP_PROTOCOL_VERSION_HEADER, ASSUMED)
    if modern:
        _require_known(version, body, request_id)
        _reject(inbound.classify_inbound_request(body, headers=folded), request_id)
    params = body.get("params")
    return Request(request_id, body["method"], params or {}, version, headers, refused)


def _id_of(body: dict[str, Any]) -> RequestId:
    try:
        request = mcp_types.JSONRPCRequest.model_validate(body)
        guard.check({"id": request.id, "method": request.method})
    except ValidationError:
        raise _invalid('needs "jsonrpc":"2.0", an "id" that is text or an integer, and a "method"') from None
    except Validation as refused:
        raise _invalid(refused.message) from None
    return request.id


def _require_known(version: str, body: dict[str, Any], request_id: RequestId) -> None:
    """A version nobody released, from a client without the new envelope: list what both eras could speak."""
    params = body.get("params")
    if version in KNOWN_PROTOCOL_VERSIONS or (isinstance(params, dict) and "_meta" in params):
        return
    raise ProtocolError(
        mcp_types.UNSUPPORTED_PROTOCOL_VERSION,
        "Unsupported protocol version",
        data={"supported": list(KNOWN_PROTOCOL_VERSIONS), "requested": version},
        id=request_id,
    )


def _reject(verdict: object, request_id: RequestId | None) -> None:
    if isinstance(verdict, inbound.InboundLadderRejection):
        raise ProtocolError(verdict.code, verdict.message, data=verdict.data, id=request_id)


def _invalid(problem: str) -> ProtocolError:
    return ProtocolError(mcp_types.INVALID_REQUEST, f"Invalid request: {problem}")
