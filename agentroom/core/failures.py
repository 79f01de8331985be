"""The last answer of a Django request that no door could answer: 503 without a database, else 500 with an id."""

from __future__ import annotations

import logging
import sys

from django.db import InterfaceError, OperationalError
from django.http import HttpRequest, JsonResponse

from agentroom.core import ids
from agentroom.core.errors import Internal, PublicError, Unavailable

logger = logging.getLogger(__name__)


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
    if isinstance(error, OperationalError | InterfaceError):
        return Unavailable("The database did not answer. Try again in a moment, with the same idempotency key.")
    return Internal("Something went wrong on the server. Nothing you sent was the cause. Try again.")
