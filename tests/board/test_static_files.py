"""The files of the pages, as an asynchronous server hands them out."""

from __future__ import annotations

import asyncio
import warnings
from pathlib import Path

import pytest
from django.contrib.staticfiles import finders
from django.test import AsyncClient, Client, RequestFactory
from whitenoise.responders import StaticFile

from agentroom.core.static import StaticFiles

BOARD = "/static/board.css"


def content() -> bytes:
    with open(finders.find("board.css"), "rb") as file:
        return file.read()


def test_a_file_is_handed_out_without_a_warning():
    with warnings.catch_warnings():
        warnings.simplefilter("error")
        answer = asyncio.run(AsyncClient().get(BOARD))
    assert not answer.streaming
    assert answer.content == content()
    assert answer["Content-Length"] == str(len(content()))
    assert answer["Content-Type"].startswith("text/css")


def test_head_a_part_and_what_the_browser_has_already_are_answered_as_such():
    client = Client()
    whole = client.get(BOARD)
    assert client.head(BOARD).content == b""
    part = client.get(BOARD, headers={"Range": "bytes=0-9"})
    assert (part.status_code, part.content) == (206, content()[:10])
    known = client.get(BOARD, headers={"If-Modified-Since": whole["Last-Modified"]})
    assert (known.status_code, known.content) == (304, b"")


@pytest.mark.parametrize("path", ["/static/", "/static/../manage.py", "/static/%2e%2e/manage.py"])
def test_nothing_else_is_a_file(path: str):
    assert Client().get(path).status_code == 404


def test_a_file_that_was_replaced_since_the_start_is_whole(tmp_path: Path):
    page = tmp_path / "board.css"
    page.write_bytes(b"p { color: red }")
    noted = StaticFile(str(page), [("Content-Type", "text/css")])
    page.write_bytes(b"p { color: rebeccapurple }")
    answer = StaticFiles.serve(noted, RequestFactory().get(BOARD))
    assert answer.content == page.read_bytes()
    assert answer["Content-Length"] == str(len(page.read_bytes()))
