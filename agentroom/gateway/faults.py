"""What an unexpected exception looks like from outside: a code and a next step, while the trace stays in the log."""

from __future__ import annotations

import logging

from django.db import DataError, IntegrityError

from agentroom.core.errors import Conflict, Internal, PublicError, Validation
from agentroom.core.failures import database_fault, sqlite_code_of, state_of

logger = logging.getLogger(__name__)

UNIQUE_VIOLATION = "23505"
SQLITE_UNIQUE = frozenset({1555, 2067})  # SQLITE_CONSTRAINT_PRIMARYKEY, SQLITE_CONSTRAINT_UNIQUE


def public_error(error: Exception, doing: str) -> PublicError:
    """The public face of `error`, met while `doing` what a tool or route is called."""
    if fault := database_fault(error):
        logger.warning("the database did not serve %s: %s", doing, type(error).__name__)
        return fault
    logger.error("%s failed", doing, exc_info=error)
    if isinstance(error, IntegrityError) and _is_duplicate(error):
        return Conflict("Another call changed the same thing at the same moment. Read it again, then decide.")
    if isinstance(error, DataError):
        return Validation("The database cannot hold one of these values. Nothing was changed.")
    return Internal(
        "The server failed. Nothing was changed. Repeat the call once; if it fails again, tell the operator."
    )


def _is_duplicate(error: Exception) -> bool:
    return state_of(error) == UNIQUE_VIOLATION or sqlite_code_of(error) in SQLITE_UNIQUE
