"""A tracked file says nothing of the machine it was written on, and keeps no secret."""

from __future__ import annotations

import re

import pytest

from tests.architecture.sources import CHECKOUT, Source, tracked

# Put together here, so that this file does not name them either.
REGISTRIES = ["pypi" + ".org", "python" + "hosted.org", "registry." + "npmjs", "deb." + "debian.org"]
INDEX_OPTIONS = ["--index" + "-url", "--extra-index" + "-url", "--find" + "-links", "PIP_INDEX" + "_URL"]
MACHINES = [f"/{folder}/{name}" for folder, name in [("work", "main"), ("work", "shared"), ("tmp", "work")]]
SECRETS = re.compile(
    r"-----BEGIN [A-Z ]*PRIVATE KEY-----\n[A-Za-z0-9+/]{40}|\bAKIA[0-9A-Z]{16}\b|\bghp_[A-Za-z0-9]{36}\b"
)
TEXT_LIMIT = 1_000_000
BINARY = (".png", ".ico", ".woff2", ".gif", ".jpg")


@pytest.mark.parametrize("words", [REGISTRIES, INDEX_OPTIONS, MACHINES], ids=["registries", "indexes", "machines"])
def test_no_tracked_file_names_a_place_of_ours(words):
    found = [f"{source.path}: {word}" for source in _texts() for word in words if word in source.text]
    assert not found, "\n".join(found)


def test_no_tracked_file_keeps_a_secret():
    assert not [source.path for source in _texts() if SECRETS.search(source.text)]


def test_no_tracked_file_is_generated_bulk():
    big = [path for path in tracked() if (CHECKOUT / path).stat().st_size > TEXT_LIMIT]
    assert not big


def test_no_text_file_has_windows_line_ends_or_conflict_marks():
    marks = ("<" * 7 + " ", ">" * 7 + " ")
    found = [source.path for source in _texts() if "\r\n" in source.text or any(mark in source.text for mark in marks)]
    assert not found


def _texts() -> list[Source]:
    return [Source(path) for path in tracked() if not path.endswith(BINARY)]
