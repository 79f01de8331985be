"""A log line is JSON, says who and when, and holds nothing that anybody wrote or sent."""

from __future__ import annotations

import json
import logging
import sys
from datetime import UTC, datetime

import pytest

from agentroom.core.logs import JsonLine, keep_in_file

CANARY = "canary-5cr3t"


def line(logger: str, message: str, *arguments: object, **extra: object) -> dict[str, object]:
    record = logging.LogRecord(logger, logging.ERROR, __file__, 1, message, arguments, extra.pop("exc_info", None))
    record.__dict__.update(extra)
    return json.loads(JsonLine().format(record))


def test_our_own_messages_are_filled_in():
    assert line("rooms.jobs", "job %s failed", "rooms.deliver")["message"] == "job rooms.deliver failed"


@pytest.mark.parametrize("logger", ["django.request", "uvicorn.error", "celery.app.trace", "roomsx"])
def test_of_others_only_the_template_is_kept(logger):
    assert CANARY not in json.dumps(line(logger, "Not Found: %s", f"/invites/{CANARY}"))


def test_of_a_message_put_together_elsewhere_only_its_first_line_is_kept():
    got = line("asyncio", f"Task exception was never retrieved\nfuture: <Task exception=Boom('{CANARY}')>")
    assert got["message"] == "Task exception was never retrieved"


def test_an_exception_is_its_kind_and_its_lines_of_code():
    try:
        raise ValueError(f"the token is {CANARY}")
    except ValueError:
        got = line("agentroom.edge", "request failed", exc_info=sys.exc_info())
    assert got["error"] == "builtins.ValueError"
    assert "test_an_exception_is_its_kind_and_its_lines_of_code" in got["trace"][-1]
    assert CANARY not in json.dumps(got)


def test_a_line_says_when_in_utc():
    at = datetime.fromisoformat(str(line("rooms", "x")["at"]))
    assert at.utcoffset() == UTC.utcoffset(None)


def test_a_line_break_in_a_message_cannot_forge_a_second_line():
    record = logging.LogRecord("rooms", logging.INFO, __file__, 1, "a %s", ("b\n{}",), None)
    assert "\n" not in JsonLine().format(record)


def test_the_log_file_is_for_its_owner_only(tmp_path):
    root = logging.getLogger()
    handlers = list(root.handlers)
    levels = [handler.level for handler in handlers]
    try:
        keep_in_file(tmp_path / "agentroom.log")
        logging.getLogger("agentroom.test").warning("kept")
    finally:
        for handler in set(root.handlers) - set(handlers):
            root.removeHandler(handler)
            handler.close()
        for handler, level in zip(handlers, levels, strict=True):
            handler.setLevel(level)
    assert (tmp_path / "agentroom.log").stat().st_mode & 0o777 == 0o600
    assert json.loads((tmp_path / "agentroom.log").read_text())["message"] == "kept"
