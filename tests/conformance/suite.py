"""The official MCP suite and clients: installed once from their lock, run against one address."""

from __future__ import annotations

import hashlib
import os
import re
import shutil
import subprocess
import sys
import tempfile
from dataclasses import dataclass
from pathlib import Path

HERE = Path(__file__).resolve().parent
LOCK = HERE / "package-lock.json"
PACKAGE = "node_modules/@modelcontextprotocol/conformance"
NODE = Path(sys.prefix) / "bin"


@dataclass(frozen=True)
class Run:
    """How the suite ended: its exit code, what it printed, and the verdict of each scenario."""

    code: int
    text: str
    passed: frozenset[str]
    failed: frozenset[str]


def installed() -> Path:
    """The folder of the suite beside the environment's packages, filled at first use."""
    folder = Path(sys.prefix) / "conformance" / hashlib.sha256(LOCK.read_bytes()).hexdigest()[:16]
    if not folder.exists():
        folder.parent.mkdir(exist_ok=True)
        fresh = Path(tempfile.mkdtemp(dir=folder.parent))
        for name in ("package.json", "package-lock.json"):
            shutil.copy(HERE / name, fresh)
        # Not `npm ci`: a client names an optional package that exists nowhere, and only `install` forgives that.
        command = [NODE / "npm", "install", "--no-save", "--ignore-scripts", "--no-audit", "--no-fund"]
        subprocess.run(command, cwd=fresh, env=environment(), check=True, capture_output=True)
        try:
            fresh.rename(folder)
        except OSError:  # another worker was first
            shutil.rmtree(fresh)
    return folder


def script(name: str) -> Path:
    """A script of ours beside the packages it imports, where Node looks for them."""
    placed = installed() / name
    fresh = placed.with_suffix(f".{os.getpid()}.mjs")
    shutil.copy(HERE / name, fresh)
    return fresh.replace(placed)


def required(revision: str) -> list[str]:
    """The server scenarios that conforming to a revision requires, as the suite itself lists them."""
    text = (installed() / PACKAGE / "requirements" / f"{revision}.yaml").read_text()
    section = text.partition("\nserver:\n")[2].partition("\n\n")[0]
    return re.findall(r"^  - (\S+)$", section, re.MULTILINE)


def run(url: str, token: str, revision: str, *options: str | Path) -> Run:
    command = [
        NODE / "node",
        f"--import={(HERE / 'present.mjs').as_uri()}",
        installed() / PACKAGE / "dist" / "index.js",
        "server",
        f"--url={url}?key={token}",
        f"--requirements={revision}",
        *options,
    ]
    with tempfile.TemporaryDirectory() as results:
        done = subprocess.run(
            [*command, "-o", results],
            env={**environment(), "CONFORMANCE_TOKEN": token},
            capture_output=True,
            text=True,
            timeout=300,
        )
    summary = done.stdout.partition("=== SUMMARY ===")[2]
    verdicts = re.findall(r"^([✓✗]) (\S+): ", summary, re.MULTILINE)
    return Run(
        done.returncode,
        done.stdout + done.stderr,
        frozenset(name for mark, name in verdicts if mark == "✓"),
        frozenset(name for mark, name in verdicts if mark == "✗"),
    )


def environment() -> dict[str, str]:
    """Node of the environment first, and no proxy between the suite and the loopback."""
    kept = {name: value for name, value in os.environ.items() if not name.lower().endswith("_proxy")}
    return {**kept, "PATH": f"{NODE}:{os.environ.get('PATH', '')}", "NO_COLOR": "1"}
