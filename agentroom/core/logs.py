"""One JSON line a record: UTC, ids, no content. What others wrote or sent never reaches a log (I-38).

So only our own loggers' messages are filled in. Of anyone else's only the template is kept, and of an exception
its kind and the lines of code it passed: its text may quote a body, an address with a token, or a row.
"""

from __future__ import annotations

import json
import logging
import traceback
from datetime import UTC, datetime
from logging.handlers import RotatingFileHandler
from pathlib import Path
from types import TracebackType
from typing import Any

OURS = {"agentroom", "identity", "rooms", "tasks", "files", "feedback"}
TEMPLATE_CHARACTERS = 200
FRAMES = 12
FILE_BYTES = 10 * 1024 * 1024


class JsonLine(logging.Formatter):
    def format(self, record: logging.LogRecord) -> str:
        line: dict[str, Any] = {
            "at": datetime.fromtimestamp(record.created, UTC).isoformat(timespec="milliseconds"),
            "level": record.levelname,
            "logger": record.name,
            "message": _message(record),
        }
        if request_id := getattr(record, "request_id", None):
            line["request_id"] = request_id
        line.update(getattr(record, "facts", {}))
        if record.exc_info and record.exc_info[0] is not None:
            line["error"] = _kind(record.exc_info[0])
            line["trace"] = _lines_of_code(record.exc_info[2])
        return json.dumps(line, ensure_ascii=True, default=str)


def configuration(level: str) -> dict[str, Any]:
    """`dictConfig` for every process: JSON on the error stream. The servers' own access logs stay off."""
    return {
        "version": 1,
        "disable_existing_loggers": False,
        "formatters": {"json": {"()": "agentroom.core.logs.JsonLine"}},
        "handlers": {
            "stream": {"class": "logging.StreamHandler", "formatter": "json"},
            "nowhere": {"class": "logging.NullHandler"},
        },
        "root": {"handlers": ["stream"], "level": "WARNING"},
        "loggers": {
            **{name: {"level": level} for name in sorted(OURS)},
            "celery": {"level": "INFO"},
            "celery.app.trace": {"level": "WARNING"},  # two lines a job, of which none says more than its count
            "celery.worker.strategy": {"level": "WARNING"},
            "django": {"handlers": [], "level": "WARNING"},
            "django.request": {"level": "ERROR"},
            "django.server": {"handlers": ["nowhere"], "propagate": False},
            "psycopg.pool": {"level": "ERROR"},  # a line a connection a second while PostgreSQL is away
            "uvicorn": {"handlers": [], "level": "WARNING", "propagate": True},
            "uvicorn.access": {"handlers": ["nowhere"], "propagate": False},
        },
    }


# What no line of ours holds need not be found out for each (the logging HOWTO, "Optimization").
logging._srcfile = None
logging.logThreads = logging.logProcesses = logging.logMultiprocessing = False


def keep_in_file(path: Path) -> None:
    """The whole log into a file of bounded size; the error stream keeps only what somebody should read now."""
    path.touch(mode=0o600)
    file = RotatingFileHandler(path, maxBytes=FILE_BYTES, backupCount=3, encoding="ascii")
    file.setFormatter(JsonLine())
    root = logging.getLogger()
    for handler in root.handlers:
        handler.setLevel(logging.WARNING)
    root.addHandler(file)


def _message(record: logging.LogRecord) -> str:
    if record.name.partition(".")[0] in OURS:
        return record.getMessage()
    return str(record.msg).partition("\n")[0][:TEMPLATE_CHARACTERS]


def _kind(error: type[BaseException]) -> str:
    return f"{error.__module__}.{error.__qualname__}"


def _lines_of_code(trace: TracebackType | None) -> list[str]:
    frames = traceback.extract_tb(trace)[-FRAMES:]
    return [f"{frame.filename}:{frame.lineno} {frame.name}" for frame in frames]
