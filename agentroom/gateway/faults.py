"""What an unexpected exception looks like from outside: a code and a next step, while the trace stays in the log."""

from __future__ import annotations

import logging

from django.db import DataError, IntegrityError, InterfaceError, OperationalError

from agentroom.core.errors import Conflict, Internal, PublicError, StorageFull, Unavailable, Validation

logger = logging.getLogger(__name__)

UNIQUE_VIOLATION = "23505"
DISK_FULL = "53100"
SQLITE_FULL = 13
SQLITE_UNIQUE = frozenset({1555, 2067})  # SQLITE_CONSTRAINT_PRIMARYKEY, SQLITE_CONSTRAINT_UNIQUE


def public_error(error: Exception, doing: str) -> PublicError:
    """The public face of `error`, met while `doing` what a tool or route is called."""
    if isinstance(error, OperationalError | InterfaceError):
        logger.warning("the database did not serve %s: %s", doing, type(error).__name__)
        return _storage_full() if _is_full(error) else _unavailable()
    logger.error("%s failed", doing, exc_info=error)
    if isinstance(error, IntegrityError) and _is_duplicate(error):
        return Conflict("Another call changed the same thing at the same moment. Read it again, then decide.")
    if isinstance(error, DataError):
        return Validation("The database cannot hold one of these values. Nothing was changed.")
    return Internal(
        "The server failed. Nothing was changed. Repeat the call once; if it fails again, tell the operator."
    )


def _unavailable() -> Unavailable:
    return Unavailable("The database is busy or away. Wait a second, then repeat the call.", retry_after_ms=1000)


def _storage_full() -> StorageFull:
    return StorageFull("The server has no room left to store this. Nothing was changed. Tell the operator.")


def _is_full(error: Exception) -> bool:
    return _state(error) == DISK_FULL or _sqlite_code(error) == SQLITE_FULL


def _is_duplicate(error: Exception) -> bool:
    return _state(error) == UNIQUE_VIOLATION or _sqlite_code(error) in SQLITE_UNIQUE


def _state(error: Exception) -> str | None:
    return getattr(error.__cause__, "sqlstate", None)


def _sqlite_code(error: Exception) -> int | None:
    return getattr(error.__cause__, "sqlite_errorcode", None)
