"""Runs the proofs at a tier's size, repeats the suite for flakes, and rewrites docs/reliability/RESULTS.md."""

from __future__ import annotations

import argparse
import os
import platform
import random
import subprocess
import sys
import tempfile
import time
from collections import Counter
from dataclasses import dataclass
from pathlib import Path
from xml.etree import ElementTree

from tests.soak.proofs import PROOFS, REPEATS, SIZES, Proof

CHECKOUT = Path(__file__).resolve().parents[2]
RESULTS = CHECKOUT / "docs" / "reliability" / "RESULTS.md"


@dataclass(frozen=True)
class Outcome:
    """What one run of one proof came to; `counts` are what its tests say they have done."""

    passed: bool
    tests: int
    counts: Counter[str]
    seconds: float


def main() -> int:
    options = _options()
    chosen = [proof for proof in PROOFS if not options.only or proof.name.split()[0] in options.only.split(",")]
    sizes = SIZES[options.tier] | {"SEED": options.seed}
    lines: list[str] = []
    failed = 0

    def write(*, ended: bool) -> None:
        left_out = [proof.name for proof in PROOFS if proof.name not in "\n".join(lines)]
        _write(options.tier, sizes, lines, left_out, ended=ended)

    for proof in chosen:
        for database in proof.databases:
            for _ in range(REPEATS[options.tier] if proof.repeated else 1):
                outcome = _run(proof, database, sizes, options.rest)
                failed += not outcome.passed
                lines.append(_line(proof, database, outcome))
                print(lines[-1], flush=True)
                # After each line: a run that is cut short has proven what it has proven.
                write(ended=False)
    write(ended=True)
    print(f"{len(lines) - failed} passed, {failed} failed")
    return int(failed > 0 or not lines)


def _run(proof: Proof, database: str, sizes: dict[str, str], rest: list[str]) -> Outcome:
    began = time.monotonic()
    with tempfile.TemporaryDirectory() as folder:
        report = Path(folder) / "report.xml"
        code = subprocess.run(
            [sys.executable, "-m", "pytest", "-q", f"--junitxml={report}", *proof.tests, *rest],
            cwd=CHECKOUT,
            env={**os.environ, **sizes, "AGENTROOM_TEST_DB": database},
        ).returncode
        cases = list(ElementTree.parse(report).getroot().iter("testcase")) if report.exists() else []
    counts: Counter[str] = Counter()
    for said in (said for case in cases for said in case.iter("property")):
        counts[said.attrib["name"]] += int(said.attrib["value"])
    return Outcome(code == 0, len(cases), counts, time.monotonic() - began)


def _line(proof: Proof, database: str, outcome: Outcome) -> str:
    verdict = "passed" if outcome.passed else "FAILED"
    counted = ", ".join(f"{number:,} {what}" for what, number in sorted(outcome.counts.items()))
    cells = (proof.name, proof.promises, database, verdict, str(outcome.tests), counted, f"{outcome.seconds:.0f} s")
    return f"| {' | '.join(cells)} |"


def _write(tier: str, sizes: dict[str, str], lines: list[str], left_out: list[str], *, ended: bool) -> None:
    commit = subprocess.run(
        ["git", "rev-parse", "--short", "HEAD"], cwd=CHECKOUT, capture_output=True, text=True, check=True
    ).stdout.strip()
    head = [
        "# Results of the last soak",
        "",
        "Written by `make soak`; a failed line is a bug. COVERAGE.md says which promise is proven where.",
        "",
        f"- Tier {tier}, commit {commit}, {time.strftime('%Y-%m-%d %H:%M UTC', time.gmtime())}",
        f"- {os.cpu_count()} cores, {platform.system()} {platform.machine()}, Python {platform.python_version()}",
        f"- Sizes: {', '.join(f'{name} {value}' for name, value in sizes.items())}",
        f"- Left out of this run: {', '.join(left_out) or 'nothing'}",
        *([] if ended else ["- Cut short after the last line below"]),
        "",
        "| proof | promises | database | result | tests | counted | took |",
        "|---|---|---|---|---|---|---|",
    ]
    RESULTS.parent.mkdir(exist_ok=True)
    RESULTS.write_text("\n".join([*head, *lines]) + "\n")


def _options() -> argparse.Namespace:
    parser = argparse.ArgumentParser(prog="make soak")
    parser.add_argument("--tier", choices=sorted(SIZES), default="C")
    parser.add_argument("--only", default="", help="these proofs, by number: T-05,T-12")
    parser.add_argument("--seed", default=str(random.SystemRandom().randrange(1, 10**6)), help="of an earlier run")
    parser.add_argument("rest", nargs="*", help="further options for pytest")
    return parser.parse_args()


if __name__ == "__main__":
    raise SystemExit(main())
