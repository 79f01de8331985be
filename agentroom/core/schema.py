"""JSON Schema of tools as agents read it: lean, flat, and within what every model API accepts (mcp.md 6)."""

from __future__ import annotations

from functools import lru_cache
from typing import Any

from pydantic.json_schema import GenerateJsonSchema, JsonSchemaValue
from pydantic_core import core_schema

from agentroom.core.contract import Tool
from agentroom.core.inputs import ToolInput


class LeanSchema(GenerateJsonSchema):
    """Without titles and defaults, and with `X | None = None` as plain optional `X`."""

    def nullable_schema(self, schema: core_schema.NullableSchema) -> JsonSchemaValue:
        return self.generate_inner(schema["schema"])

    def default_schema(self, schema: core_schema.WithDefaultSchema) -> JsonSchemaValue:
        return self.generate_inner(schema["schema"])


def describe(tool: Tool) -> dict[str, Any]:
    """One entry of `tools/list`. All four annotations are set: absent ones default to the pessimistic side."""
    return {
        "name": tool.name,
        "description": tool.description,
        "inputSchema": input_schema(tool.input),
        "annotations": {
            "readOnlyHint": tool.read_only,
            "destructiveHint": tool.destructive,
            "idempotentHint": tool.idempotent,
            "openWorldHint": tool.open_world,
        },
    }


@lru_cache(maxsize=256)
def input_schema(model: type[ToolInput]) -> dict[str, Any]:
    """The JSON Schema 2020-12 of one input, with every `$ref` inlined."""
    schema = model.model_json_schema(schema_generator=LeanSchema)
    definitions = schema.pop("$defs", {})
    cleaned: dict[str, Any] = _clean(schema, definitions)
    cleaned.pop("description", None)
    cleaned.setdefault("properties", {})
    return cleaned


def _clean(node: Any, definitions: dict[str, Any]) -> Any:
    if isinstance(node, list):
        return [_clean(item, definitions) for item in node]
    if not isinstance(node, dict):
        return node
    if "$ref" in node:
        return _clean(definitions[node["$ref"].rpartition("/")[2]], definitions)
    return {
        key: _properties(value, definitions) if key == "properties" else _clean(value, definitions)
        for key, value in node.items()
        if key not in {"title", "$defs"}
    }


def _properties(properties: dict[str, Any], definitions: dict[str, Any]) -> dict[str, Any]:
    """Fields keep their names, whatever they are called: only their schemas are cleaned."""
    return {name: _clean(schema, definitions) for name, schema in properties.items()}
