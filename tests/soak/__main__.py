"""Runs the proofs at a tier's size, repeats the suite for flakes, and rewrites docs/reliability/RESULTS.md."""

from __future__ import annotations

import argparse
import os
import subprocess
import sys
import time
from dataclasses import dataclass
from pathlib import Path

CHECKOUT = Path(__file__).resolve().parents[2]
RESULTS = CHECKOUT / "docs" / "reliability" / "RESULTS.md"

SIZES = {
    "G": {"RACE_CONTENDERS": "16", "RACE_ROUNDS": "50", "MODEL_EXAMPLES": "150", "MODEL_STEPS": "30"},
    "C": {"RACE_CONTENDERS": "64", "RACE_ROUNDS": "300", "MODEL_EXAMPLES": "1500", "MODEL_STEPS": "60"},
    "S": {"RACE_CONTENDERS": "64", "RACE_ROUNDS": "3000", "MODEL_EXAMPLES": "20000", "MODEL_STEPS": "80"},
}
REPEATS = {"G": 1, "C": 2, "S": 20}


@dataclass(frozen=True)
class Proof:
    """One row of the results: what it proves, which tests, and on which databases."""

    name: str
    promises: str
    tests: tuple[str, ...]
    databases: tuple[str, ...] = ("postgres", "sqlite")
    repeated: bool = False


PROOFS = (
    Proof("T-01 claim race", "I-01, I-02", ("tests/races/test_claims.py",)),
    Proof("T-02 state machine", "I-01…I-09, I-13", ("tests/tasks/model",), ("sqlite",)),
    Proof("T-03 fences", "I-01", ("tests/tasks/test_fences.py",)),
    Proof("T-05 idempotency and contention", "I-12", ("tests/races/test_storms.py", "tests/contract/test_repeats.py")),
    Proof(
        "T-12 tenancy matrix", "I-22, I-25…I-27", ("tests/contract/test_matrix.py", "tests/contract/test_addresses.py")
    ),
    Proof("T-13 credentials", "I-23…I-25", ("tests/identity",)),
    Proof("T-22 readers", "I-09, I-10", ("tests/races/test_readers_miss_nothing.py",)),
    Proof("T-28 flakes", "all", ("tests/races", "tests/tasks", "tests/rooms", "tests/contract"), repeated=True),
)


def main() -> int:
    options = _options()
    lines = []
    failed = 0
    for proof in PROOFS:
        for database in proof.databases:
            for _ in range(REPEATS[options.tier] if proof.repeated else 1):
                began = time.monotonic()
                code = _run(proof, database, options.tier, options.rest)
                failed += code != 0
                verdict = "passed" if code == 0 else "FAILED"
                lines.append(
                    f"| {proof.name} | {proof.promises} | {database} | {verdict} | {time.monotonic() - began:.0f} s |"
                )
                print(lines[-1], flush=True)
    _write(options.tier, lines)
    print(f"{len(lines) - failed} passed, {failed} failed")
    return int(failed > 0)


def _run(proof: Proof, database: str, tier: str, rest: list[str]) -> int:
    return subprocess.run(
        [sys.executable, "-m", "pytest", "-q", *proof.tests, *rest],
        cwd=CHECKOUT,
        env={**os.environ, **SIZES[tier], "AGENTROOM_TEST_DB": database},
    ).returncode


def _write(tier: str, lines: list[str]) -> None:
    commit = subprocess.run(
        ["git", "rev-parse", "--short", "HEAD"], cwd=CHECKOUT, capture_output=True, text=True, check=True
    ).stdout.strip()
    head = [
        "# Results of the last soak",
        "",
        f"Tier {tier}, commit {commit}, {os.cpu_count()} cores, {time.strftime('%Y-%m-%d')}.",
        f"Sizes: {', '.join(f'{name} {value}' for name, value in SIZES[tier].items())}.",
        "",
        "| proof | promises | database | result | took |",
        "|---|---|---|---|---|",
    ]
    RESULTS.parent.mkdir(exist_ok=True)
    RESULTS.write_text("\n".join([*head, *lines]) + "\n")


def _options() -> argparse.Namespace:
    parser = argparse.ArgumentParser(prog="make soak")
    parser.add_argument("--tier", choices=sorted(SIZES), default="C")
    parser.add_argument("rest", nargs="*", help="further options for pytest")
    return parser.parse_args()


if __name__ == "__main__":
    raise SystemExit(main())
