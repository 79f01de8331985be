"""No budgets here: faults and crowds are the subject."""

from __future__ import annotations

from typing import Any

import pytest


@pytest.fixture(autouse=True)
def without_rate_limits(settings: Any) -> None:
    settings.RATE_LIMITS_ENABLED = False
