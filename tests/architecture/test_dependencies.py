"""What is installed is what the locks say, and the locks hold what security asks for (AR-12.1)."""

from __future__ import annotations

import re
import tomllib
from importlib import metadata

import pytest
from packaging.markers import Marker
from packaging.requirements import Requirement
from packaging.utils import canonicalize_name
from packaging.version import Version

from tests.architecture.sources import CHECKOUT

LOCKS = ["requirements.txt", "tests/requirements.txt"]
MINIMUM = {"django": "5.2.13", "daphne": "4.2.2", "pyjwt": "2.13", "kombu": "5.7", "celery": "5.7"}
PIN = re.compile(r"^([a-z0-9][a-z0-9._-]*)==(\S+)( ; (.+?))?( \\)?$", re.M)


@pytest.mark.parametrize("name", MINIMUM)
def test_the_lock_holds_at_least_the_version_security_asks_for(name):
    versions = [Version(version) for version, _ in _pins("requirements.txt")[name]]
    assert min(versions) >= Version(MINIMUM[name])
    assert Version(metadata.version(name)) >= Version(MINIMUM[name])


@pytest.mark.parametrize("lock", LOCKS)
def test_every_pin_of_a_lock_carries_a_hash_and_no_registry(lock):
    text = (CHECKOUT / lock).read_text()
    blocks = re.split(r"^(?=[a-z0-9])", text, flags=re.M)[1:]
    assert all("--hash=sha256:" in block for block in blocks)
    assert len(blocks) == sum(len(pins) for pins in _pins(lock).values())
    assert "://" not in text
    assert not re.search(r"^-", text, re.M)


def test_both_locks_pin_the_same_versions():
    runtime, testing = (_pins(lock) for lock in LOCKS)
    assert {name: testing.get(name) for name in runtime} == runtime


def test_what_is_installed_is_what_the_lock_pins():
    different = []
    for name, pins in _pins("tests/requirements.txt").items():
        wanted = [version for version, marker in pins if not marker or Marker(marker).evaluate()]
        if wanted and metadata.version(name) not in wanted:
            different.append(f"{name}: {metadata.version(name)} installed, {wanted} pinned")
    assert not different, different


def test_every_dependency_is_locked_and_explained():
    project = tomllib.loads((CHECKOUT / "pyproject.toml").read_text())
    explained = (CHECKOUT / "docs/dependencies.md").read_text().lower().replace("_", "-")
    asked = {
        "requirements.txt": project["project"]["dependencies"],
        "tests/requirements.txt": project["dependency-groups"]["test"],
    }
    for lock, requirements in asked.items():
        pins = _pins(lock)
        for requirement in map(Requirement, requirements):
            name = canonicalize_name(requirement.name)
            assert all(Version(version) in requirement.specifier for version, _ in pins[name]), f"{name}: make lock"
            assert re.search(rf"^\|[^|]*\b{name}\b", explained, re.M), f"{name} has no line in docs/dependencies.md"


def _pins(lock: str) -> dict[str, list[tuple[str, str]]]:
    """Name → the versions pinned, each with the marker it is for."""
    found: dict[str, list[tuple[str, str]]] = {}
    for name, version, _, marker, _ in PIN.findall((CHECKOUT / lock).read_text()):
        found.setdefault(canonicalize_name(name), []).append((version, marker))
    return found
