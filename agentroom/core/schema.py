"""JSON Schema of tools as agents read it: lean, flat, and within what every model API accepts (mcp.md 6)."""

from __future__ import annotations

from functools import lru_cache
from typing import Any, Literal

from pydantic.json_schema import GenerateJsonSchema, JsonSchemaValue
from pydantic_core import core_schema

from agentroom.core.contract import Tool, registry
from agentroom.core.digest import digest_of
from agentroom.core.inputs import ToolInput
from agentroom.core.outputs import Output

Schema = dict[str, Any]


class LeanSchema(GenerateJsonSchema):
    """Without defaults, and with `X | None` as plain optional `X`: on our wire a null is left out."""

    def nullable_schema(self, schema: core_schema.NullableSchema) -> JsonSchemaValue:
        return self.generate_inner(schema["schema"])

    def default_schema(self, schema: core_schema.WithDefaultSchema) -> JsonSchemaValue:
        return self.generate_inner(schema["schema"])

    def field_is_required(
        self,
        field: core_schema.ModelField | core_schema.DataclassField | core_schema.TypedDictField,
        total: bool,
    ) -> bool:
        return super().field_is_required(field, total) and field["schema"]["type"] != "nullable"


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


def listing_digest() -> str:
    """What identifies this version of the whole list of tools, so that a client can notice a changed one (AR-4.7)."""
    return digest_of([describe(tool) for tool in registry.tools() if tool.listed])


@lru_cache(maxsize=256)
def input_schema(model: type[ToolInput]) -> Schema:
    """The JSON Schema 2020-12 of one input, with every `$ref` inlined."""
    schema = _flat(model, "validation")
    schema.setdefault("properties", {})
    return schema


@lru_cache(maxsize=256)
def output_schema(model: type[Output]) -> Schema:
    """The same of one output, as it stands on the wire. Never in `tools/list`: a model does not read it."""
    return _flat(model, "serialization")


def _flat(model: type[ToolInput | Output], mode: Literal["validation", "serialization"]) -> Schema:
    schema = model.model_json_schema(schema_generator=LeanSchema, mode=mode)
    definitions = schema.pop("$defs", {})
    schema.pop("description", None)  # the class's docstring: for readers of the code
    cleaned: Schema = _clean(schema, definitions)
    return cleaned


def _clean(node: Any, definitions: Schema) -> Any:
    if isinstance(node, list):
        return [_clean(item, definitions) for item in node]
    if not isinstance(node, dict):
        return node
    if "$ref" in node:
        definition = dict(definitions[node["$ref"].rpartition("/")[2]])
        definition.pop("description", None)
        beside = {key: value for key, value in node.items() if key != "$ref"}
        return _clean({**definition, **beside}, definitions)
    return {
        key: _properties(value, definitions) if key == "properties" else _clean(value, definitions)
        for key, value in node.items()
        if key not in {"title", "$defs"}
    }


def _properties(properties: Schema, definitions: Schema) -> Schema:
    """Fields keep their names, whatever they are called: only their schemas are cleaned."""
    return {name: _clean(schema, definitions) for name, schema in properties.items()}
