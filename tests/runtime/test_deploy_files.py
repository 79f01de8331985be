"""What deploy/ tells an operator to set is what the settings read, and its numbers are the product's."""

from __future__ import annotations

import re
from pathlib import Path

import pytest

from agentroom.core import caps
from agentroom.core.serving import server

ROOT = Path(__file__).resolve().parents[2]
DEPLOY = ROOT / "deploy"
NAME = re.compile(r"\b(AGENTROOM_[A-Z_]+|DATABASE_URL|REDIS_URL|EMAIL_URL)\b")
# Read by deploy/Caddyfile itself.
NOT_OURS = {"AGENTROOM_UPSTREAMS"}


def read_by_the_settings() -> set[str]:
    return set(re.findall(r"\"([A-Z_]+)\"", (ROOT / "agentroom" / "settings.py").read_text()))


@pytest.mark.parametrize("name", ["README.md", "compose.yaml", "nginx.conf", "Caddyfile", "Dockerfile"])
def test_every_variable_named_is_read_by_the_settings(name):
    named = set(NAME.findall((DEPLOY / name).read_text())) - NOT_OURS
    assert named - read_by_the_settings() == set()


@pytest.mark.parametrize("unit", sorted((DEPLOY / "systemd").iterdir()), ids=lambda unit: unit.name)
def test_every_service_has_room_to_finish_its_calls(unit):
    seconds = int(re.search(r"TimeoutStopSec=(\d+)", unit.read_text())[1])
    assert seconds > server.EXIT_SECONDS
    assert set(NAME.findall(unit.read_text())) <= read_by_the_settings()


@pytest.mark.parametrize("name", ["nginx.conf", "Caddyfile"])
def test_a_proxy_lets_through_what_the_server_takes_at_most(name):
    text = (DEPLOY / name).read_text()
    sizes = {int(size) * 1024 * 1024 for size in re.findall(r"(?:max_body_size|max_size) (\d+)m", text, re.IGNORECASE)}
    assert caps.LARGE in sizes
    for prefix in re.findall(r"(?:location|path) (/files\S*)", text):
        assert caps.cap_for(prefix.rstrip("*") + "x") is None


def test_the_readme_states_the_seconds_a_server_gives_its_calls():
    assert "8 s" in (DEPLOY / "README.md").read_text()
