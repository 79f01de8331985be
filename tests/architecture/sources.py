"""The files of the checkout, read and parsed once for all rules."""

from __future__ import annotations

import ast
import subprocess
from collections.abc import Iterator
from dataclasses import dataclass
from functools import cache, cached_property
from pathlib import Path

CHECKOUT = Path(__file__).resolve().parents[2]
APPS = ["identity", "rooms", "tasks", "files", "feedback"]
PACKAGES = ["agentroom", *APPS]


@dataclass(frozen=True)
class Source:
    path: str

    @cached_property
    def text(self) -> str:
        return (CHECKOUT / self.path).read_text(encoding="utf-8")

    @cached_property
    def tree(self) -> ast.Module:
        return ast.parse(self.text, self.path)

    @property
    def parts(self) -> tuple[str, ...]:
        return Path(self.path).with_suffix("").parts

    @property
    def is_test(self) -> bool:
        return self.parts[0] == "tests"

    @property
    def is_migration(self) -> bool:
        return "migrations" in self.parts

    def functions(self) -> Iterator[ast.FunctionDef | ast.AsyncFunctionDef]:
        for node in ast.walk(self.tree):
            if isinstance(node, ast.FunctionDef | ast.AsyncFunctionDef):
                yield node

    def calls(self) -> Iterator[ast.Call]:
        for node in ast.walk(self.tree):
            if isinstance(node, ast.Call):
                yield node

    def imports(self) -> Iterator[tuple[int, str]]:
        """Line and dotted name of everything imported, `from a import b` as `a.b`."""
        for node in ast.walk(self.tree):
            if isinstance(node, ast.Import):
                yield from ((node.lineno, alias.name) for alias in node.names)
            elif isinstance(node, ast.ImportFrom):
                yield from ((node.lineno, f"{node.module}.{alias.name}") for alias in node.names)


@cache
def tracked() -> list[str]:
    """What is committed, and what would be: no ignored file."""
    listed = subprocess.run(
        ["git", "ls-files", "--cached", "--others", "--exclude-standard", "-z"],
        cwd=CHECKOUT,
        capture_output=True,
        text=True,
        check=True,
    )
    return sorted(path for path in listed.stdout.split("\0") if path and (CHECKOUT / path).is_file())


@cache
def python_files() -> list[Source]:
    return [Source(path) for path in tracked() if path.endswith(".py")]


def product_files() -> list[Source]:
    """Python of the product, hand-written: no tests, no migrations."""
    return [source for source in python_files() if not source.is_test and not source.is_migration]


def is_called(call: ast.Call, *names: str) -> bool:
    """Whether the call is to one of these names, dotted (`timezone.now`) or bare (`Now`)."""
    spelled = ast.unparse(call.func)
    return any(spelled == name or spelled.endswith(f".{name}") for name in names)


def layer_of(source: Source) -> str:
    """The module of an app a file belongs to: operations, models, tools…; empty outside the apps."""
    return source.parts[1] if source.parts[0] in APPS and len(source.parts) > 1 else ""
