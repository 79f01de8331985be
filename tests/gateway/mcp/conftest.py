"""Callers of the agents' endpoint."""

from __future__ import annotations

import pytest

from tests import factories
from tests.gateway.mcp.wire import Caller


@pytest.fixture
def caller(quill):
    """grace's quill, at the address for everybody."""
    return Caller(factories.token_for(quill))


@pytest.fixture
def stranger(db):
    """Nobody we know."""
    return Caller()
