"""The files of the pages, handed on whole: an asynchronous server would read a stream of them whole anyway."""

from __future__ import annotations

from typing import Any

from django.http import HttpRequest, HttpResponse
from whitenoise.middleware import WhiteNoiseMiddleware


class StaticFiles(WhiteNoiseMiddleware):
    """WhiteNoise streams; Django warns of a synchronous stream at the first file of every process."""

    @staticmethod
    def serve(static_file: Any, request: HttpRequest) -> HttpResponse:
        answer = static_file.get_response(request.method, request.META)
        response = HttpResponse(status=int(answer.status))
        del response["Content-Type"]
        for name, value in answer.headers:
            response[name] = value
        if answer.file is not None:
            with answer.file:
                response.content = answer.file.read()
            # Its size was noted when the server started; an upgrade may have replaced it since.
            response["Content-Length"] = str(len(response.content))
        return response
