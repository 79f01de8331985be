"""The one guard of all input lets through plain, bounded, unambiguous JSON that both databases can store."""

from __future__ import annotations

import json
from typing import Any

import pytest
from hypothesis import given
from hypothesis import strategies as st

from agentroom.core.errors import Validation
from agentroom.core.guard import MAX_DEPTH, MAX_NODES, check, parse_json

TEXT = st.text(st.characters(exclude_categories=["Cs"], exclude_characters="\0"), max_size=20)
LEAF = (
    st.none()
    | st.booleans()
    | st.integers(-(2**63), 2**63 - 1)
    | TEXT
    | st.floats(allow_nan=False, allow_infinity=False)
)
PLAIN = st.recursive(
    LEAF, lambda inner: st.lists(inner, max_size=4) | st.dictionaries(TEXT, inner, max_size=4), max_leaves=20
)


@given(PLAIN)
def test_plain_json_comes_through_as_it_is(value: Any):
    assert parse_json(json.dumps(value).encode()) == value
    assert parse_json(json.dumps(value, ensure_ascii=False).encode()) == value
    check(value)


@given(st.binary(max_size=200))
def test_any_bytes_are_parsed_or_refused_and_never_break_it(raw: bytes):
    try:
        parse_json(raw)
    except Validation as refusal:
        assert refusal.fields


def nested(depth: int, opening: str = "[", closing: str = "]") -> bytes:
    return (opening * depth + closing * depth).encode()


@pytest.mark.parametrize(
    ("raw", "why"),
    [
        (b"", "JSON"),
        (b"{", "JSON"),
        (b"{'a': 1}", "JSON"),
        (b'{"a": 1} x', "JSON"),
        (b"\xff", "UTF-8"),
        (b'"\xed\xa0\x80"', "UTF-8"),
        (b"\xef\xbb\xbf{}", "JSON"),
        (b'"\\u0000"', "NUL"),
        (b'"\\ud800"', "surrogate"),
        (b'{"\\ud800": 1}', "surrogate"),
        (b'{"a\\u0000": 1}', "NUL"),
        (b'{"a": 1, "a": 1}', "twice"),
        (b'[{"b": {"a": 1, "a": 2}}]', "twice"),
        (b"NaN", "finite"),
        (b"[Infinity]", "finite"),
        (b"-Infinity", "finite"),
        (b"1e999", "finite"),
        (b"1" * 5000, "64 bits"),
        (str(2**63).encode(), "64 bits"),
        (str(-(2**63) - 1).encode(), "64 bits"),
        (b"0." + b"1" * 5000, "finite"),
        (nested(MAX_DEPTH + 1), "nested"),
        (nested(100_000), "nested"),
        (nested(200_000, '{"a":', "}").replace(b"}", b"1}", 1), "nested"),
        (b"[" * 200_000, "nested"),
        (b"[" + b"1," * MAX_NODES + b"1]", "more than"),
    ],
)
def test_what_could_not_be_stored_or_compared_is_refused_with_the_reason(raw: bytes, why: str):
    with pytest.raises(Validation, match=why) as refusal:
        parse_json(raw)
    assert refusal.value.fields
    assert refusal.value.message.endswith("Nothing was changed.")


@pytest.mark.parametrize(
    "raw",
    [
        nested(MAX_DEPTH),
        str(2**63 - 1).encode(),
        str(-(2**63)).encode(),
        json.dumps("[" * 5000 + '\\"{').encode(),
        b'"\\ud83d\\ude00"',
        "\u202e\u200b".join("ab").join('""').encode(),
        b"[" + b"1," * (MAX_NODES - 2) + b"1]",
    ],
)
def test_the_very_edge_is_let_through(raw: bytes):
    parse_json(raw)


def test_a_nested_field_is_named_and_an_odd_name_is_not_repeated():
    for body, field in (({"task": {"title": "\0"}}, "task.title"), ({"a b<script>": "\0"}, "field")):
        with pytest.raises(Validation) as refusal:
            check(body)
        assert list(refusal.value.fields) == [field]


@pytest.mark.parametrize("value", [float("nan"), float("inf"), 2**63, "\ud800", "a\0b", {"a": ["\0"]}, ("\0",)])
def test_values_parsed_elsewhere_pass_the_same_guard(value: Any):
    with pytest.raises(Validation):
        check(value)
