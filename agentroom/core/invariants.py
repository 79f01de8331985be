"""What must always hold over the whole database, as checks that apps register and `audit_invariants` runs."""

from __future__ import annotations

from collections.abc import Callable, Iterable, Iterator

# A check yields one sentence per finding: which rule, which record. Ids only, no content.
Check = Callable[[], Iterable[str]]

_checks: dict[str, Check] = {}


def register(name: str, check: Check) -> None:
    """Called in an app's `invariants.py`; `name` is the rule's number and words, for example "I-10 seq gaps"."""
    _checks[name] = check


def names() -> list[str]:
    return sorted(_checks)


def findings() -> Iterator[tuple[str, str]]:
    """(check, finding) for everything that does not hold."""
    for name in names():
        for finding in _checks[name]():
            yield name, finding
