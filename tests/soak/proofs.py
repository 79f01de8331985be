"""Which tests prove what, on which databases, and how big each tier makes them."""

from __future__ import annotations

from dataclasses import dataclass


@dataclass(frozen=True)
class Proof:
    """One row of the results: what it proves, which tests, and on which databases.

    Tests that bring both profiles up themselves run once, under PostgreSQL.
    """

    name: str
    promises: str
    tests: tuple[str, ...]
    databases: tuple[str, ...] = ("postgres", "sqlite")
    repeated: bool = False


SIZES = {
    "G": {
        "RACE_CONTENDERS": "16",
        "RACE_ROUNDS": "50",
        "API_EXAMPLES": "15",
        "MODEL_EXAMPLES": "150",
        "MODEL_STEPS": "30",
        "KILL_POINTS": "4",
        "CUTS": "4",
        "KILLS": "2",
        "DIFFERENTIAL_HISTORIES": "2",
    },
    "C": {
        "RACE_CONTENDERS": "64",
        "RACE_ROUNDS": "300",
        "AGENTROOM_DB_POOL": "72",
        "API_EXAMPLES": "300",
        "MODEL_EXAMPLES": "1500",
        "MODEL_STEPS": "60",
        "KILL_POINTS": "60",
        "CUTS": "20",
        "KILLS": "30",
        "DIFFERENTIAL_HISTORIES": "300",
    },
    "S": {
        "RACE_CONTENDERS": "64",
        "RACE_ROUNDS": "3000",
        "AGENTROOM_DB_POOL": "72",
        "API_EXAMPLES": "5000",
        "MODEL_EXAMPLES": "20000",
        "MODEL_STEPS": "80",
        "KILL_POINTS": "600",
        "CUTS": "25",
        "KILLS": "300",
        "DIFFERENTIAL_HISTORIES": "5000",
    },
}
REPEATS = {"G": 1, "C": 2, "S": 20}

PROOFS = (
    Proof("T-01 claim race", "I-01, I-02", ("tests/races/test_claims.py",)),
    Proof("T-02 state machine", "I-01…I-09, I-13", ("tests/tasks/model",), ("sqlite",)),
    Proof("T-03 fences", "I-01", ("tests/tasks/test_fences.py",)),
    Proof(
        "T-04 killed under load",
        "I-06, I-10…I-12",
        ("tests/reliability/test_killed_under_load.py",),
        ("postgres",),
    ),
    Proof(
        "T-05 idempotency and contention",
        "I-12",
        (
            "tests/races/test_storms.py",
            "tests/races/test_killed_at_any_point.py",
            "tests/races/test_lost_races.py",
            "tests/contract/test_repeats.py",
            "tests/contract/test_crowds.py",
        ),
    ),
    Proof("T-05 cut connections", "I-12", ("tests/reliability/test_cut_connections.py",), ("postgres",)),
    Proof(
        "T-12 tenancy matrix", "I-22, I-25…I-27", ("tests/contract/test_matrix.py", "tests/contract/test_addresses.py")
    ),
    Proof("T-12 two tenants", "I-22", ("tests/reliability/test_tenants_do_not_touch.py",)),
    Proof("T-13 credentials", "I-23…I-25", ("tests/identity",)),
    Proof("T-20 API contract", "all REST", ("tests/contract/test_openapi_is_true.py", "tests/contract/test_fuzz.py")),
    Proof("T-22 readers", "I-09, I-10", ("tests/races/test_readers_miss_nothing.py",)),
    Proof(
        "T-26 audit",
        "I-39",
        (
            "tests/contract/test_every_act_is_audited.py",
            "tests/core/test_audit_chain.py",
            "tests/core/test_history_is_append_only.py",
        ),
    ),
    Proof("T-28 flakes", "all", ("tests/races", "tests/tasks", "tests/rooms", "tests/contract"), repeated=True),
)
