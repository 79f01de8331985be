"""What a fault of the database looks like from outside, and the last answer where no door of ours could answer."""

from __future__ import annotations

import logging
import sys

from django.db import Error, InterfaceError, OperationalError
from django.http import HttpRequest, JsonResponse

from agentroom.core import ids
from agentroom.core.errors import Internal, PublicError, StorageFull, Unavailable

logger = logging.getLogger(__name__)

DISK_FULL = "53100"
SQLITE_FULL = 13
# A server that may only be read (a standby, just now or for good), and one that has hung up on a transaction that
# paused for too long. The driver files both under its own mistakes.
AWAY = frozenset({"25006", "25P03"})
RETRY_AFTER_MS = 1000


def server_error(request: HttpRequest) -> JsonResponse:
    """Django's handler500. The exception is still being handled here, so its kind decides the status."""
    error, error_id = public_error(sys.exception()), ids.error_id()
    request_id = getattr(request, "request_id", "") or ids.request_id()
    logger.error("%s answered with %s", error_id, error.code, extra={"request_id": request_id})
    body = error.body(request_id, error_id)
    headers = {"Retry-After": "2"} if error.status == 503 else {}
    return JsonResponse({"error": body}, status=error.status, headers=headers)


def public_error(error: BaseException | None) -> PublicError:
    """How an unexpected exception looks from outside: a database that is away is not our failure."""
    return database_fault(error) or Internal(
        "Something went wrong on the server. Nothing you sent was the cause. Try again."
    )


def database_fault(error: BaseException | None) -> PublicError | None:
    """What to say when the database did not serve a call; None when something else went wrong."""
    if not isinstance(error, Error):
        return None
    if state_of(error) == DISK_FULL or sqlite_code_of(error) == SQLITE_FULL:
        return StorageFull("The server has no room left to store this. Nothing was changed. Tell the operator.")
    if isinstance(error, OperationalError | InterfaceError) or state_of(error) in AWAY:
        return Unavailable(
            "The database is busy or away. Wait a second, then repeat the call.", retry_after_ms=RETRY_AFTER_MS
        )
    return None


def state_of(error: BaseException) -> str | None:
    """The SQLSTATE that PostgreSQL gave."""
    return getattr(error.__cause__, "sqlstate", None)


def sqlite_code_of(error: BaseException) -> int | None:
    return getattr(error.__cause__, "sqlite_errorcode", None)
