"""Identifiers: of one form, sortable where promised, and never the same twice."""

from __future__ import annotations

import re
from unittest.mock import patch

import pytest
from pydantic import TypeAdapter

from agentroom.core import ids
from agentroom.core.inputs import Id


@pytest.mark.parametrize(
    ("make", "form"),
    [
        (ids.ulid, r"[0-7][0-9A-HJKMNP-TV-Z]{25}"),
        (ids.plate, r"BRNL-AGT-[0-9A-HJKMNP-TV-Z]{8}"),
        (ids.error_id, r"err_[0-9A-Z]{26}"),
        (ids.request_id, r"req_[0-9A-Z]{26}"),
    ],
)
def test_each_kind_has_its_form_and_does_not_repeat(make, form: str):
    made = [make() for _ in range(2000)]
    assert all(re.fullmatch(form, one) for one in made)
    assert len(set(made)) == len(made)


def test_ulids_of_later_milliseconds_sort_later():
    made = []
    for second in (1, 2, 1_700_000_000, 1_900_000_000):
        with patch.object(ids.time, "time", return_value=second):
            made.append(ids.ulid())
    assert made == sorted(made)


def test_the_plates_prefix_is_a_setting(settings):
    settings.PLATE_PREFIX = "ROOM-"
    assert ids.plate().startswith("ROOM-")


def test_an_id_is_accepted_as_input_in_either_case():
    one = ids.ulid()
    assert TypeAdapter(Id).validate_python(one.lower()) == one
