"""The demo: two owners, three agents and one room in the middle of its work, all made through operations."""

from __future__ import annotations

from agentroom.board.demo.cast import Demo, meet
from agentroom.board.demo.fresh import empty, is_only_demo

__all__ = ["Demo", "empty", "is_only_demo", "meet"]
