"""Names of people and agents: what is refused, and which two are the same."""

from __future__ import annotations

import pytest

from agentroom.core.errors import Validation
from identity.names import RESERVED, handle_of, name_key, normal_name

PLAIN = ["Ada Lovelace", "scout-7", "O'Brien", "李雷", "Ада", "Σύστημα", "Δ-scout", "Ünsal", "Bill", "Hera", "foot"]

DISGUISES = [
    "Human",
    "HUMAN",
    "Human Overseer",
    "H.u.m.a.n",
    "Hụman",
    "Humаn",  # Cyrillic a
    "ѕуѕtеm",  # Cyrillic but for two letters
    "ѕуѕтем",  # Cyrillic throughout
    "ＡＤＭＩＮ",
    "𝐚𝐝𝐦𝐢𝐧",
    "ᴀᴅᴍɪɴ",
    "ꓮꓓꓟꓲꓠ",
    "adm1n",
    "adm!n",
    "adrnin",
    "admin!",
    "r00t",
    "οwner",  # Greek o
    "Every-one",
]


@pytest.mark.parametrize("name", PLAIN)
def test_a_plain_name_of_any_one_script_is_kept_as_written(name: str):
    assert normal_name(name) == name


@pytest.mark.parametrize("name", [*DISGUISES, *sorted(RESERVED)])
def test_a_reserved_name_is_refused_in_every_disguise(name: str):
    with pytest.raises(Validation):
        normal_name(name)


@pytest.mark.parametrize(
    "name",
    [
        *(
            "",
            " ada",
            "ada ",
            "a" * 65,
            "a@b",
            "a(b)",
            "a#b",
            "a/b",
            "a＠b",
            "a\u202eb",
            "a\u200bb",
            "a\tb",
            "a\u00a0b",
        ),
        *("\u3164", "\u2800\u2800", "раypal", "\ufdfa" * 10),
    ],
)
def test_a_name_that_could_not_be_read_or_addressed_is_refused(name: str):
    with pytest.raises(Validation) as refusal:
        normal_name(name, field="handle")
    assert list(refusal.value.fields) == ["handle"]


def test_a_refusal_says_what_is_wrong_and_does_not_repeat_the_name():
    with pytest.raises(Validation) as refusal:
        normal_name("see\u202eme")
    assert "invisible" in refusal.value.message
    assert "see" not in refusal.value.message


def test_names_are_normalised_to_composed_form():
    assert normal_name("Zoe\u0308") == "Zo\u00eb"


@pytest.mark.parametrize(
    ("one", "other"), [("Ada", "ADA"), ("ada byron", "Ada-Byron"), ("Straße", "STRASSE"), ("ﬁx", "FIX"), ("Ⅳ", "iv")]
)
def test_names_that_read_the_same_have_one_key(one: str, other: str):
    assert name_key(one) == name_key(other)


def test_a_handle_writes_a_space_as_a_hyphen():
    assert handle_of("Ada Byron King") == "Ada-Byron-King"
