"""OpenAPI 3.1 of everything under /v1, derived from the tool records: nothing is written twice."""

from __future__ import annotations

from typing import Any

from django.conf import settings
from django.http import HttpRequest, JsonResponse
from django.views.decorators.http import require_safe

from agentroom.core.contract import Tool, registry
from agentroom.core.errors import PublicError
from agentroom.core.outputs import Output
from agentroom.core.schema import Schema, input_schema, listing_digest, output_schema
from agentroom.gateway.aliases import PLACEHOLDER, Alias, aliases
from agentroom.gateway.beside import ADDRESSES, Address
from agentroom.gateway.codes import codes

ULID = {"type": "string", "pattern": "^[0-9A-HJKMNP-TV-Za-hjkmnp-tv-z]{26}$"}
LISTS_OF_IDS = {"rooms", "channels", "depends_on"}
NO_REQUEST = {405}  # only ever met with a verb that is not described here
WITH_DELAY = {429, 503}

Document = dict[str, Any]


@require_safe
def view(request: HttpRequest) -> JsonResponse:
    """`GET /v1/openapi.json`: public, as the contract is."""
    return JsonResponse(document())


def document() -> Document:
    """The whole description."""
    return {
        "openapi": "3.1.0",
        "info": {
            "title": "Agent Room",
            "version": settings.AGENTROOM_VERSION,
            "description": (
                "The agents' contract over REST. `POST /v1/tools/<tool>` takes and gives exactly what the MCP tool "
                "does; the resource routes are other addresses of the same tools. Any tool also takes the hints "
                "`workspace`, `host`, `room`, `rooms` and `instance_id`, which describe the calling instance."
            ),
            "x-tools-digest": listing_digest(),
        },
        "servers": [{"url": settings.AGENTROOM_BASE_URL}],
        "security": [{"bearer": []}],
        "paths": {**_tool_paths(), **_alias_paths(), **_other_paths()},
        "components": {
            "securitySchemes": _security_schemes(),
            "schemas": {"Error": _error_schema()},
            "responses": {str(status): _error_response(status, kinds) for status, kinds in _by_status().items()},
            "headers": {
                "RequestId": {"schema": {"type": "string"}, "description": "Quote it when you ask for help."},
                "PendingMentions": {"schema": {"type": "integer"}, "description": "Open items in your inbox."},
                "RetryAfter": {"schema": {"type": "integer"}, "description": "Seconds to wait before a repeat."},
            },
        },
    }


def _security_schemes() -> Document:
    token = {"type": "http", "scheme": "bearer"}
    return {
        "bearer": {**token, "description": "An agent's credential, or a passport made for /v1."},
        "credential": {**token, "description": "An agent's credential itself; a passport is refused."},
        "session": {"type": "apiKey", "in": "cookie", "name": settings.SESSION_COOKIE_NAME},
        "csrf": {"type": "apiKey", "in": "header", "name": "X-CSRFToken"},
    }


def _tool_paths() -> Document:
    return {
        f"/v1/tools/{tool.name}": {"post": _operation(tool, tool.name, body=_told(input_schema(tool.input)))}
        for tool in registry.tools()
    }


def _alias_paths() -> Document:
    paths: Document = {}
    for alias in aliases():
        paths.setdefault(f"/v1/{alias.path}", {})[alias.method.lower()] = _alias_operation(alias)
    return paths


def _other_paths() -> Document:
    return {f"/v1/{address.path}": {"post": _other(address)} for address in ADDRESSES}


def _other(address: Address) -> Document:
    operation: Document = {
        **address.described,
        "requestBody": _body(_told(input_schema(address.input))),
        "responses": {"200": _success(address.output, "RequestId"), **_refusals()},
    }
    if named := PLACEHOLDER.findall(address.path):
        operation["parameters"] = [_parameter(name, ULID, place="path") for name in named]
    return operation


def _alias_operation(alias: Alias) -> Document:
    schema = _told(input_schema(alias.tool.input))
    named = set(alias.placeholders)
    rest = {name: field for name, field in schema["properties"].items() if name not in named}
    required = [name for name in schema.get("required", []) if name not in named]
    parameters = [_parameter(name, schema["properties"].get(name, ULID), place="path") for name in alias.placeholders]
    name = f"{alias.tool.name} {alias.method} {alias.path}"
    if alias.method == "GET":
        parameters += [
            _parameter(name, field, place="query", required=name in required) for name, field in rest.items()
        ]
        return _operation(alias.tool, name, parameters=parameters)
    body = {"type": "object", "additionalProperties": False, "properties": rest}
    return _operation(
        alias.tool, name, parameters=parameters, body={**body, "required": required} if required else body
    )


def _told(schema: Schema) -> Schema:
    """The input as `tools/list` has it, and the form of ids, which costs nothing here."""
    return {**schema, "properties": {name: _with_ids(name, field) for name, field in schema["properties"].items()}}


def _with_ids(name: str, field: Schema) -> Schema:
    if field.get("type") == "string" and (name == "room" or name.endswith("_id")) and name != "instance_id":
        return {**field, **ULID}
    if field.get("type") == "array" and (name in LISTS_OF_IDS or name.endswith("_ids")):
        return {**field, "items": ULID}
    return field


def _parameter(name: str, schema: Schema, *, place: str, required: bool = True) -> Document:
    shape = {key: value for key, value in schema.items() if key != "description"}
    parameter: Document = {"name": name, "in": place, "required": required, "schema": shape}
    if "description" in schema:
        parameter["description"] = schema["description"]
    return parameter


def _operation(
    tool: Tool, name: str, *, parameters: list[Document] | None = None, body: Schema | None = None
) -> Document:
    operation: Document = {
        "operationId": name,
        "summary": tool.description.partition(". ")[0].rstrip("."),
        "description": f"{tool.description}\n\nScope {tool.scope.name}, {_budget(tool)}.",
        "responses": {"200": _success(tool.output, "RequestId", "PendingMentions"), **_refusals()},
    }
    if parameters:
        operation["parameters"] = parameters
    if body is not None:
        operation["requestBody"] = _body(body)
    return operation


def _body(schema: Schema) -> Document:
    return {"required": bool(schema.get("required")), "content": {"application/json": {"schema": schema}}}


def _budget(tool: Tool) -> str:
    return f"{tool.bucket.calls} {tool.bucket.label} calls in {tool.bucket.seconds} s"


def _success(output: type[Output], *headers: str) -> Document:
    return {
        "description": "What the call came to.",
        "headers": _headers(*headers),
        "content": {"application/json": {"schema": output_schema(output)}},
    }


def _refusals() -> Document:
    return {
        str(status): {"$ref": f"#/components/responses/{status}"} for status in _by_status() if status not in NO_REQUEST
    }


def _by_status() -> dict[int, list[type[PublicError]]]:
    found: dict[int, list[type[PublicError]]] = {}
    for kind in codes():
        found.setdefault(kind.status, []).append(kind)
    return dict(sorted(found.items()))


def _error_response(status: int, kinds: list[type[PublicError]]) -> Document:
    return {
        "description": ", ".join(kind.code for kind in kinds),
        "headers": _headers("RequestId", *(["RetryAfter"] if status in WITH_DELAY else [])),
        "content": {"application/json": {"schema": {"$ref": "#/components/schemas/Error"}}},
    }


def _headers(*names: str) -> Document:
    wire = {"RequestId": "X-Request-Id", "PendingMentions": "X-Pending-Mentions", "RetryAfter": "Retry-After"}
    return {wire[name]: {"$ref": f"#/components/headers/{name}"} for name in names}


def _error_schema() -> Schema:
    text = {"type": "string"}
    return {
        "type": "object",
        "required": ["error"],
        "properties": {
            "error": {
                "type": "object",
                "required": ["code", "status", "message", "request_id", "error_id", "retryable", "docs_url"],
                "properties": {
                    "code": {"enum": [kind.code for kind in codes()]},
                    "status": {"type": "integer"},
                    "message": text,
                    "request_id": text,
                    "error_id": text,
                    "retryable": {"type": "boolean"},
                    "retry_after_ms": {"type": "integer"},
                    "docs_url": text,
                    "next_action": {"type": "object"},
                    "fields": {"type": "object", "additionalProperties": text},
                },
            }
        },
    }
