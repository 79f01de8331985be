"""One byte form for everything that is compared, chained or approved."""

from __future__ import annotations

import hashlib
import json
from typing import Any

import pytest
from hypothesis import given

from agentroom.core.digest import GENESIS, canonical, digest_of, sha256_hex
from tests.core.test_guard import PLAIN


def test_the_form_is_sorted_without_spaces_in_utf_8():
    assert canonical({"b": [1, None, True], "a": "é"}) == '{"a":"é","b":[1,null,true]}'.encode()


def test_the_digest_is_plain_sha_256_of_that_form():
    assert digest_of({}) == hashlib.sha256(b"{}").hexdigest() == sha256_hex(b"{}")
    assert len(GENESIS) == len(digest_of(None))


@given(PLAIN)
def test_a_digest_survives_storage_as_json(value: Any):
    assert digest_of(json.loads(json.dumps(value))) == digest_of(value)


@pytest.mark.parametrize(
    ("one", "other"),
    [(1, "1"), (1, True), (0, False), (None, ""), ([], {}), ("a", "a "), ("é", "e\u0301"), ([1, 2], [2, 1]), ("", " ")],
)
def test_what_is_not_the_same_has_another_digest(one: Any, other: Any):
    assert digest_of(one) != digest_of(other)


@pytest.mark.parametrize("value", [float("nan"), float("inf"), {1, 2}, object(), b"bytes"])
def test_what_is_no_json_has_none(value: Any):
    with pytest.raises((TypeError, ValueError)):
        digest_of(value)
