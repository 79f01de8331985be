"""Measures floors and product in turns (A B A B …) and writes docs-ready rows and JSON. See docs/performance.md."""

from __future__ import annotations

import argparse
import itertools
import json
import os
import platform
import subprocess
import sys
import time
from pathlib import Path
from statistics import median
from typing import Any

from tests.bench import idle, viewers, wire
from tests.bench.load import Sample, burst
from tests.bench.measures import FLOOR_PATHS, MEASURES, Measure, Supply
from tests.services import postgres
from tests.services.postgres import Postgres
from tests.services.processes import Process
from tests.services.redis import Redis
from tests.services.server import CHECKOUT, EmbeddedServer, FullServer, Server

RESULTS = Path(__file__).parent / "results"
OFF = {"AGENTROOM_RATE_LIMITS": "0"}


def main() -> None:
    options = _options()
    database, broker = Postgres().start(), Redis().start()
    try:
        report = {
            "commit": _commit(),
            "machine": f"{os.cpu_count()} cores, Python {platform.python_version()}",
            "load": os.getloadavg()[0],
            "profiles": {},
        }
        for profile in options.profiles:
            report["profiles"][profile] = _measure_profile(profile, database, broker, options)
        _compare_profiles(report["profiles"])
        _write(report)
    finally:
        broker.stop()
        database.stop()


def _measure_profile(profile: str, database: Postgres, broker: Redis, options: argparse.Namespace) -> dict[str, Any]:
    server: Server
    if profile == "embedded":
        server = EmbeddedServer(**OFF)
    else:
        server = FullServer(database.url, broker.url, workers=1, **OFF)
    floor = _Floor(database, server)
    try:
        server.start()
        stock = _stock(server)
        floor.start()
        rows: list[dict[str, Any]] = []
        for measure in MEASURES:
            rows.append(_compared(measure, _measure(measure, stock, server, floor, options), rows))
        rows += [_said(row) for row in (viewers.frames(server, stock), idle.tools_list(server, stock))]
        if profile == "embedded":
            rows.append(_said(idle.cost(server)))
        findings = server.manage("audit_invariants")
        return {"rows": rows, "audit": findings.strip().splitlines()[-1:]}
    finally:
        floor.stop()
        server.stop()


def _measure(
    measure: Measure, stock: dict[str, Any], server: Server, floor: _Floor, options: argparse.Namespace
) -> dict[str, Any]:
    requests = measure.stream(stock, f"127.0.0.1:{server.port}")
    floors: list[Sample] = []
    products: list[Sample] = []
    for _ in range(options.rounds):
        floors.append(floor.burst(measure.floor, measure.clients, options.seconds))
        products.append(
            burst(server.port, requests, clients=measure.clients, seconds=options.seconds, expect=measure.expect)
        )
    rate, floor_rate = median(s.rate for s in products), median(s.rate for s in floors)
    return {
        "row": measure.row,
        "name": measure.name,
        "per_second": round(rate),
        "floor": measure.floor,
        "floor_per_second": round(floor_rate),
        "ratio": round(rate / floor_rate, 2),
        "first_target": measure.first,
        "p50_ms": round(median(s.percentile_ms(0.5) for s in products), 2),
        "p95_ms": round(median(s.percentile_ms(0.95) for s in products), 2),
        "bytes": products[-1].last_bytes,
        "refused": sum(s.refused for s in products),
        "first_refusal": next((s.first_refusal for s in products if s.first_refusal), ""),
        "floor_spread": round(max(s.rate for s in floors) / max(1, min(s.rate for s in floors)), 2),
    }


def _compare_profiles(profiles: dict[str, Any]) -> None:
    """Row 10: what SQLite reaches of PostgreSQL in the same run."""
    if len(profiles) < 2:
        return
    full = {row["name"]: row["per_second"] for row in profiles["full"]["rows"] if "per_second" in row}
    for row in profiles["embedded"]["rows"]:
        if row["name"] in full:
            row["of_postgresql"] = round(row["per_second"] / max(1, full[row["name"]]), 2)
            print(f" 10 {row['name']:<32} SQLite reaches {row['of_postgresql']} x PostgreSQL", flush=True)


def _said(row: dict[str, Any]) -> dict[str, Any]:
    figures = ", ".join(f"{name} {value}" for name, value in row.items() if name not in {"row", "name"})
    print(f"{row['row']:>3} {row['name']:<32} {figures}", flush=True)
    return row


def _compared(measure: Measure, row: dict[str, Any], earlier: list[dict[str, Any]]) -> dict[str, Any]:
    """The row against what its target is stated in: a floor, or another measure of this run."""
    if measure.against:
        peer = next(one for one in earlier if one["name"] == measure.against)
        row |= {"floor": measure.against, "floor_per_second": peer["per_second"]}
        row["ratio"] = round(row["per_second"] / max(1, peer["per_second"]), 2)
    print(_line(row), flush=True)
    return row


class _Floor:
    """The floor app beside the product, on a database of its own in the same PostgreSQL."""

    def __init__(self, database: Postgres, server: Server) -> None:
        self._database = database
        self._name = f"floor_{server.port}"
        self._port = server.port + 1
        self._process: Process | None = None
        self._folder = server.folder

    def start(self) -> None:
        from tests.services.processes import free_port

        self._port = free_port()
        env = {**os.environ, "FLOOR_DATABASE_URL": postgres.create_database(self._database.url, self._name)}
        subprocess.run([sys.executable, "-m", "tests.bench.floor"], cwd=CHECKOUT, env=env, check=True)
        command = [sys.executable, "-m", "uvicorn", "tests.bench.floor:application", f"--port={self._port}"]
        self._process = Process(
            "floor", [*command, "--no-access-log"], log=self._folder / "floor.log", env=env, cwd=CHECKOUT
        ).start()
        self._process.wait_until(self._answers)

    def stop(self) -> None:
        if self._process is not None:
            self._process.stop()

    def burst(self, name: str, clients: int, seconds: float) -> Sample:
        request = wire.get(f"127.0.0.1:{self._port}", FLOOR_PATHS[name])
        return burst(self._port, itertools.repeat(request), clients=clients, seconds=seconds)

    def _answers(self) -> bool:
        try:
            return self.burst("DJ", 1, 0.05).refused == 0
        except OSError:
            return False


def _stock(server: Server) -> dict[str, Any]:
    started = time.monotonic()
    done = subprocess.run(
        [sys.executable, "-m", "tests.bench.stock"],
        cwd=CHECKOUT,
        env=server.env,
        check=True,
        stdout=subprocess.PIPE,
        text=True,
    )
    stock: dict[str, Any] = json.loads(done.stdout.splitlines()[-1])
    stock["claim_supply"] = Supply(stock["claims"])
    stock["completion_supply"] = Supply(stock["completions"])
    stock["versions"] = {tool: _version(server, stock, tool) for tool in ("get_room_context", "read_board")}
    print(f"stock made in {time.monotonic() - started:.0f} s", flush=True)
    return stock


def _version(server: Server, stock: dict[str, Any], tool: str) -> int:
    import httpx

    answer = httpx.post(
        f"{server.url}/v1/tools/{tool}",
        json={"room": stock["board"]},
        headers={"Authorization": f"Bearer {stock['agents'][0]['v1']}"},
        trust_env=False,
    ).json()
    return int(answer["context_version" if tool == "get_room_context" else "board_version"])


def _line(row: dict[str, Any]) -> str:
    mark = "" if row["ratio"] >= row["first_target"] else "  BELOW"
    refused = f"  {row['refused']} refused: {row['first_refusal']}" if row["refused"] else ""
    return (
        f"{row['row']:>3} {row['name']:<32} {row['per_second']:>6}/s  {row['ratio']:>5} x {row['floor']:<8} "
        f"(first {row['first_target']})  p50 {row['p50_ms']:>6} ms  p95 {row['p95_ms']:>6} ms  "
        f"{row['bytes']:>6} B{mark}{refused}"
    )


def _write(report: dict[str, Any]) -> None:
    RESULTS.mkdir(exist_ok=True)
    path = RESULTS / f"{time.strftime('%Y-%m-%d-%H%M')}-{report['commit'][:8]}.json"
    path.write_text(json.dumps(report, indent=1) + "\n")
    print(f"written to {path.relative_to(CHECKOUT)}")


def _commit() -> str:
    return subprocess.run(
        ["git", "rev-parse", "HEAD"], cwd=CHECKOUT, capture_output=True, text=True, check=True
    ).stdout.strip()


def _options() -> argparse.Namespace:
    parser = argparse.ArgumentParser(prog="make bench ARGS=…")
    parser.add_argument("--rounds", type=int, default=3)
    parser.add_argument("--seconds", type=float, default=2.0)
    parser.add_argument("--profiles", nargs="+", default=["full", "embedded"], choices=["full", "embedded"])
    return parser.parse_args()


if __name__ == "__main__":
    main()
