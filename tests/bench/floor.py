"""The floors, on the same PostgreSQL: a Django view (DJ) and a bare ASGI callable (BR), one process each.

`uvicorn tests.bench.floor:application`, with FLOOR_DATABASE_URL naming a database of its own.
"""

from __future__ import annotations

import itertools
import json
import os
from typing import Any
from urllib.parse import urlsplit

import django
from django.conf import settings
from psycopg_pool import AsyncConnectionPool

URL = os.environ["FLOOR_DATABASE_URL"]
_parts = urlsplit(URL)
ROWS = 1000

settings.configure(
    SECRET_KEY="floor",
    ALLOWED_HOSTS=["*"],
    ROOT_URLCONF=__name__,
    DEFAULT_AUTO_FIELD="django.db.models.BigAutoField",
    DATABASES={
        "default": {
            "ENGINE": "django.db.backends.postgresql",
            "NAME": _parts.path.lstrip("/"),
            "USER": _parts.username,
            "HOST": _parts.hostname,
            "PORT": _parts.port,
            "OPTIONS": {"pool": {"min_size": 4, "max_size": 16}},
        }
    },
)
django.setup()

from django.core.asgi import get_asgi_application  # noqa: E402
from django.db import connection, models  # noqa: E402
from django.http import HttpRequest, JsonResponse  # noqa: E402
from django.urls import path  # noqa: E402

_numbers = itertools.count()


class Row(models.Model):
    value = models.IntegerField(default=0)
    title = models.CharField(max_length=200, default="a title of some forty characters, for size")
    status = models.CharField(max_length=9, default="todo")

    class Meta:
        app_label = "floor"


def make_table() -> None:
    with connection.schema_editor() as editor:
        editor.create_model(Row)
    Row.objects.bulk_create(Row(id=number) for number in range(1, ROWS + 1))


def update(request: HttpRequest) -> JsonResponse:
    Row.objects.filter(pk=next(_numbers) % ROWS + 1).update(value=models.F("value") + 1)
    return JsonResponse({"ok": True})


def board(request: HttpRequest) -> JsonResponse:
    """Two hundred rows by one query, as JSON: what a board costs with nothing around it."""
    return JsonResponse({"tasks": list(Row.objects.filter(pk__lte=200).values("id", "title", "status", "value"))})


urlpatterns = [path("update", update), path("board", board)]

_django = get_asgi_application()
_pool: AsyncConnectionPool | None = None


async def application(scope: dict[str, Any], receive: Any, send: Any) -> None:
    if scope["type"] == "http" and scope["path"].startswith("/bare/"):
        await _bare(scope["path"], send)
    elif scope["type"] == "http":
        await _django(scope, receive, send)


async def _bare(path_: str, send: Any) -> None:
    global _pool
    if _pool is None:
        _pool = AsyncConnectionPool(URL, min_size=8, max_size=8, open=False)
        await _pool.open()
    statement = "SELECT value FROM floor_row WHERE id = %s"
    if path_.endswith("update"):
        statement = "UPDATE floor_row SET value = value + 1 WHERE id = %s RETURNING value"
    async with _pool.connection() as link:
        row = await (await link.execute(statement, [next(_numbers) % ROWS + 1])).fetchone()
    body = json.dumps({"value": row[0] if row else None}).encode()
    headers = [(b"content-type", b"application/json"), (b"content-length", str(len(body)).encode())]
    await send({"type": "http.response.start", "status": 200, "headers": headers})
    await send({"type": "http.response.body", "body": body})


if __name__ == "__main__":
    make_table()
