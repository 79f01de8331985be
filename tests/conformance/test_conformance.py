"""The official suite passes in both revisions of the protocol, under both servers (mcp.md 0.7, AR-4.5)."""

from __future__ import annotations

import pytest

from tests.conformance import suite

pytestmark = pytest.mark.real_server

SERVER_INITIATED = {
    "tools-call-sampling",
    "tools-call-elicitation",
    "elicitation-sep1034-defaults",
    "elicitation-sep1330-enums",
}
# Run for visibility, not required by the revision, and passed by this server nevertheless.
BEYOND = {"json-schema-2020-12", "http-header-validation", "http-custom-header-server-validation"}


def test_every_required_scenario_of_2026_07_28_passes(measured: tuple[str, str]) -> None:
    run = suite.run(*measured, "2026-07-28")
    required = set(suite.required("2026-07-28"))
    assert len(required) == 37
    assert required - run.passed == set(), run.text
    assert BEYOND - run.passed == set(), run.text
    assert run.code == 0, run.text


def test_2025_11_25_misses_only_what_needs_requests_from_the_server(measured: tuple[str, str]) -> None:
    run = suite.run(*measured, "2025-11-25", f"--expected-failures={suite.HERE / 'baseline.yml'}")
    required = set(suite.required("2025-11-25"))
    assert len(required) == 30
    assert run.failed & required == SERVER_INITIATED, run.text
    assert run.code == 0, run.text
