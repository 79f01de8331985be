"""The reference for people: a page of tools and a page of errors, and the snapshot a reviewer sees as a diff."""

from __future__ import annotations

from collections.abc import Iterator
from typing import Any

from django.http import HttpRequest, HttpResponse
from django.shortcuts import render
from django.views.decorators.http import require_safe

from agentroom.core.contract import Retired, Tool, registry
from agentroom.core.schema import Schema, describe, input_schema, listing_digest, output_schema
from agentroom.gateway.beside import ADDRESSES, Address
from agentroom.gateway.codes import MEANINGS, codes

NESTED_MOST = 4


@require_safe
def tools(request: HttpRequest) -> HttpResponse:
    """`/reference/tools`: every tool with its arguments and answer."""
    ordered = sorted(registry.tools(), key=lambda tool: not tool.listed)  # what is kept for old callers comes last
    shown = [_tool_shown(tool) for tool in ordered]
    retired = [
        {"name": record.name, "code": record.error.code, "message": record.message}
        for record in registry.records()
        if isinstance(record, Retired)
    ]
    others = [_address_shown(address) for address in ADDRESSES]
    facts = {"tools": shown, "addresses": others, "retired": retired, "digest": listing_digest()}
    return render(request, "reference/tools.html", facts)


@require_safe
def errors(request: HttpRequest) -> HttpResponse:
    """`/reference/errors`: every code; its anchor is what `docs_url` names."""
    # Plain values: a template would call a class it is given.
    shown = [(kind.code, kind.status, kind.retryable, *map(_pieces, MEANINGS[kind.code])) for kind in codes()]
    return render(request, "reference/errors.html", {"errors": shown})


def snapshot() -> dict[str, Any]:
    """The whole contract as data. It is committed, so that a change of it shows in a review."""
    return {
        "digest": listing_digest(),
        "tools": {tool.name: _facts(tool) for tool in registry.tools()},
        "retired": {
            record.name: {"code": record.error.code, "message": record.message}
            for record in registry.records()
            if isinstance(record, Retired)
        },
        "addresses": {f"POST /v1/{address.path}": _address_facts(address) for address in ADDRESSES},
        "errors": {kind.code: {"status": kind.status, "retryable": kind.retryable} for kind in codes()},
    }


def _facts(tool: Tool) -> dict[str, Any]:
    return {
        **{key: value for key, value in describe(tool).items() if key != "name"},
        "outputSchema": output_schema(tool.output),
        "scope": tool.scope.name,
        "bucket": tool.bucket.label,
        "listed": tool.listed,
        "routes": list(tool.routes),
    }


def _address_facts(address: Address) -> dict[str, Any]:
    return {
        **address.described,
        "inputSchema": input_schema(address.input),
        "outputSchema": output_schema(address.output),
    }


def _address_shown(address: Address) -> dict[str, Any]:
    return {
        "record": address,
        "description": _pieces(address.described["description"]),
        "takes": list(_fields(input_schema(address.input))),
        "gives": list(_fields(output_schema(address.output))),
    }


def _tool_shown(tool: Tool) -> dict[str, Any]:
    return {
        "record": tool,
        "description": _pieces(tool.description),
        "takes": list(_fields(input_schema(tool.input))),
        "gives": list(_fields(output_schema(tool.output))),
        "kind": "reads" if tool.read_only else "destroys" if tool.destructive else "changes",
    }


def _fields(schema: Schema, before: str = "", depth: int = 1) -> Iterator[dict[str, Any]]:
    required = schema.get("required", [])
    for name, field in schema.get("properties", {}).items():
        yield {
            "name": f"{before}{name}",
            "type": _type(field),
            "required": name in required,
            "text": field.get("description", ""),
        }
        inner, mark = (field["items"], "[].") if "items" in field else (field, ".")
        if depth < NESTED_MOST:
            yield from _fields(inner, f"{before}{name}{mark}", depth + 1)


def _type(schema: Schema) -> str:
    if "enum" in schema:
        return " | ".join(str(value) for value in schema["enum"])
    if "const" in schema:
        return str(schema["const"])
    if "anyOf" in schema:
        return " or ".join(dict.fromkeys(_type(choice) for choice in schema["anyOf"]))
    if schema.get("type") == "array":
        return f"list of {_type(schema.get('items', {}))}"
    if schema.get("format") == "date-time":
        return "time"
    return str(schema.get("type", "any"))


def _pieces(text: str) -> list[tuple[str, bool]]:
    """Prose cut at its backticks: (text, whether it is code)."""
    return [(piece, bool(number % 2)) for number, piece in enumerate(text.split("`")) if piece]
