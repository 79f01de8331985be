"""The pages for what no view could answer: not found, refused, broken."""

from __future__ import annotations

import logging
import sys

from django.http import HttpRequest, HttpResponse
from django.shortcuts import render

from agentroom.board.access import refusal
from agentroom.core import ids
from agentroom.core.errors import Forbidden, NotFound
from agentroom.core.failures import public_error
from agentroom.core.failures import server_error as plain_server_error

logger = logging.getLogger(__name__)


def not_found(request: HttpRequest, exception: Exception) -> HttpResponse:
    return refusal(request, NotFound("There is no such page, or it is not yours to see."))


def forbidden(request: HttpRequest, exception: Exception) -> HttpResponse:
    return refusal(request, Forbidden("This is not yours to see."))


def csrf_refused(request: HttpRequest, reason: str = "") -> HttpResponse:
    """Django's CSRF_FAILURE_VIEW: most often a page left open while somebody signed out."""
    logger.warning("a form without its token was refused: %s", reason)
    text = "This form was opened before you last signed in, or in another browser. Open the page again and repeat it."
    return refusal(request, Forbidden(text), "This form is too old")


def server_error(request: HttpRequest) -> HttpResponse:
    """For browsers a page that needs neither database nor session; for everybody else JSON."""
    if "text/html" not in request.headers.get("Accept", ""):
        return plain_server_error(request)
    error, error_id = public_error(sys.exception()), ids.error_id()
    request_id = getattr(request, "request_id", "") or ids.request_id()
    logger.error("%s answered with %s", error_id, error.code, extra={"request_id": request_id})
    context = {"error": error, "error_id": error_id, "request_id": request_id}
    response = render(request, "board/broken.html", context, status=error.status)
    if error.status == 503:
        response["Retry-After"] = "2"
    return response
