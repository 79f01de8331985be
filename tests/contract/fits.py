"""Whether an answer fits the schema it was promised in, members that nobody declared included."""

from __future__ import annotations

from collections.abc import Iterator
from typing import Any


def misfits(value: Any, schema: dict[str, Any], where: str) -> Iterator[str]:
    """Where `value` is not what `schema` declares; a member that is not declared is one too."""
    kinds = {"object": dict, "array": list, "string": str, "integer": int, "boolean": bool, "number": (int, float)}
    if "anyOf" in schema:
        if not any(not list(misfits(value, choice, where)) for choice in schema["anyOf"]):
            yield f"{where}: fits none of its kinds"
        return
    if "type" in schema and not isinstance(value, kinds[schema["type"]]):
        yield f"{where}: is no {schema['type']}"
        return
    if isinstance(value, list):
        for number, item in enumerate(value):
            yield from misfits(item, schema.get("items", {}), f"{where}[{number}]")
    elif isinstance(value, dict):
        yield from _misfit_members(value, schema, where)


def _misfit_members(value: dict[str, Any], schema: dict[str, Any], where: str) -> Iterator[str]:
    declared, more = schema.get("properties", {}), schema.get("additionalProperties", "properties" not in schema)
    yield from (f"{where}.{name}: missing" for name in schema.get("required", []) if name not in value)
    for name, member in value.items():
        if name in declared:
            yield from misfits(member, declared[name], f"{where}.{name}")
        elif isinstance(more, dict):
            yield from misfits(member, more, f"{where}.{name}")
        elif not more:
            yield f"{where}.{name}: not declared"
