"""The page that says what is proven where names only files that are there, and leaves no test and no scenario out."""

from __future__ import annotations

import re
from pathlib import Path

CHECKOUT = Path(__file__).resolve().parents[2]
PAGE = (CHECKOUT / "docs" / "reliability" / "COVERAGE.md").read_text(encoding="utf-8")
ROWS = [[cell.strip() for cell in line.strip("|").split("|")] for line in PAGE.splitlines() if line.startswith("| ")]


def test_every_file_it_names_is_there():
    named = set(re.findall(r"tests/[\w/]+\.py", PAGE))
    assert named
    assert {name for name in named if not (CHECKOUT / name).is_file()} == set()


def test_every_test_and_every_scenario_has_a_line():
    firsts = [row[0] for row in ROWS]
    assert [first[:4] for first in firsts if first.startswith("T-")] == [f"T-{number:02}" for number in range(1, 29)]
    assert [first for first in firsts if first.isdigit()] == [str(number) for number in range(1, 18)]


def test_a_line_says_where_or_why_not():
    for row in ROWS:
        assert any(cell.strip("– ") for cell in row[-2:]), row
