"""The whole suite: everything on PostgreSQL, then on SQLite what the embedded profile promises."""

from __future__ import annotations

import os
import subprocess
import sys
import tempfile
from dataclasses import dataclass
from pathlib import Path
from xml.etree import ElementTree

TESTS = Path(__file__).resolve().parent
ON_SQLITE = ["contract", "journeys", "races", "files", "board"]


@dataclass
class Count:
    passed: int = 0
    failed: int = 0
    skipped: int = 0
    broken: bool = False

    def add(self, other: Count) -> None:
        self.passed += other.passed
        self.failed += other.failed
        self.skipped += other.skipped
        self.broken = self.broken or other.broken


def main() -> int:
    total = Count()
    total.add(run("postgres", [TESTS]))
    total.add(run("sqlite", [TESTS / name for name in ON_SQLITE if (TESTS / name).exists()]))
    if total.skipped:
        print(f"{total.skipped} skipped: a test that cannot run must fail and say what to install.")
    print(f"{total.passed} passed, {total.failed} failed, {total.skipped} skipped")
    return int(total.broken or total.failed > 0 or total.skipped > 0 or total.passed == 0)


def run(database: str, folders: list[Path]) -> Count:
    if not folders:
        return Count()
    print(f"\n== Tests on {database} ==", flush=True)
    with tempfile.TemporaryDirectory() as folder:
        report = Path(folder) / "report.xml"
        # A file stays on one worker, so a server that its tests share is started once.
        options = ["-q", "-n", "2", "--dist", "loadfile", f"--junitxml={report}"]
        done = subprocess.run(
            [sys.executable, "-m", "pytest", *options, *folders],
            cwd=TESTS.parent,
            env={**os.environ, "AGENTROOM_TEST_DB": database},
        )
        counted = _count(report)
    counted.broken = done.returncode != 0
    return counted


def _count(report: Path) -> Count:
    if not report.exists():
        return Count()
    suites = list(ElementTree.parse(report).getroot().iter("testsuite"))
    tests, skipped = (sum(int(suite.get(name, 0)) for suite in suites) for name in ("tests", "skipped"))
    failed = sum(int(suite.get(name, 0)) for suite in suites for name in ("failures", "errors"))
    return Count(passed=tests - failed - skipped, failed=failed, skipped=skipped)


if __name__ == "__main__":
    raise SystemExit(main())
