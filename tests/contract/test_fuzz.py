"""Arguments made from each tool's own schema, valid, nearly valid and not: never a fault, always a known answer."""

from __future__ import annotations

import json
from typing import Any

import pytest
from hypothesis import HealthCheck, given, settings
from hypothesis import strategies as st

from agentroom.core.schema import input_schema, output_schema
from tests.clients import undone
from tests.contract import matrix, world
from tests.contract.fits import misfits
from tests.contract.test_hostile_input import CODES

CASES = 40

NASTY = st.sampled_from(
    [
        "",
        " ",
        "\u200b\u2060",
        "\u202e abc",
        "a\nb",
        "\x1b[31m",
        "<script>alert(1)</script>",
        "{{7*7}}",
        "%s%n",
        "'; --",
        "../../etc/passwd",
        "\U0001f9ed" * 50,
        "e\u0301",
        "ﬀ",
        "İ" * 26,
        "0" * 26,
        "Z" * 26,
        "file:a@0",
        "msg:x#-1",
        "@a(b)#c",
        "x" * 33_000,
    ]
)
TEXTS = st.one_of(st.text(st.characters(exclude_categories=["Cs"], exclude_characters="\0"), max_size=80), NASTY)
INTEGERS = st.one_of(st.integers(-(2**63), 2**63 - 1), st.sampled_from([-1, 0, 1, 200, 201, 2**31, 2**53 + 1]))
ANYTHING = st.recursive(
    st.one_of(st.none(), st.booleans(), INTEGERS, st.floats(allow_nan=False, allow_infinity=False), TEXTS),
    lambda inner: st.lists(inner, max_size=4) | st.dictionaries(TEXTS, inner, max_size=4),
    max_leaves=8,
)


def values(schema: dict[str, Any]) -> st.SearchStrategy[Any]:
    """What `schema` asks for, in kind."""
    if "enum" in schema:
        return st.sampled_from(schema["enum"])
    if "const" in schema:
        return st.just(schema["const"])
    if "anyOf" in schema:
        return st.one_of([values(choice) for choice in schema["anyOf"]])
    kinds = {"integer": INTEGERS, "number": st.floats(allow_nan=False), "boolean": st.booleans(), "string": TEXTS}
    if schema.get("type") == "array":
        return st.lists(values(schema.get("items", {})), max_size=60)
    if schema.get("type") == "object":
        return st.fixed_dictionaries(
            {}, optional={name: values(field) for name, field in schema.get("properties", {}).items()}
        )
    return kinds.get(schema.get("type", ""), ANYTHING)


def calls(row: matrix.Row, names: dict[str, Any]) -> st.SearchStrategy[dict[str, Any]]:
    """A call that works, with a few fields replaced by others of their kind, or of none, or by new fields."""
    good, properties = world.filled(row.call, names), input_schema(row.tool.input)["properties"]
    replaced = st.fixed_dictionaries(
        {}, optional={name: st.one_of(values(field), ANYTHING) for name, field in properties.items()}
    )
    extra = st.dictionaries(TEXTS, ANYTHING, max_size=1)
    dropped = st.sets(st.sampled_from(sorted(good)), max_size=1) if good else st.just(set())
    return st.builds(
        lambda new, more, gone: {**{key: value for key, value in good.items() if key not in gone}, **more, **new},
        replaced,
        extra,
        dropped,
    )


@pytest.mark.parametrize("row", matrix.rows(), ids=lambda row: row.tool.name)
def test_whatever_the_arguments_the_answer_is_one_that_is_documented(row, door, scene):
    client = world.as_agent(door, scene.cast.scout)

    @settings(
        max_examples=CASES // 2,  # through each of the two doors
        deadline=None,
        database=None,
        derandomize=True,
        suppress_health_check=list(HealthCheck),
    )
    @given(arguments=calls(row, scene.own(scene.cast.scout)))
    def check(arguments: dict[str, Any]) -> None:
        with undone():
            answer = client.call_raw(row.tool.name, json.dumps(arguments, ensure_ascii=False).encode())
        assert answer.status < 500, answer
        if answer.ok:
            found = list(misfits(answer.data, output_schema(row.tool.output), row.tool.name))
            assert not found, found
        else:
            assert answer.code in CODES
            assert answer.error["error_id"].startswith("err_")

    check()
