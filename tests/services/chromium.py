"""Where the system's Chromium is, and how the tests start it."""

from __future__ import annotations

import os
import shutil
from collections.abc import Iterator
from contextlib import contextmanager
from pathlib import Path

from playwright.sync_api import Browser, sync_playwright

NAMES = ["chromium", "chromium-browser", "google-chrome", "google-chrome-stable", "chrome"]
MAC_APPS = [
    "/Applications/Chromium.app/Contents/MacOS/Chromium",
    "/Applications/Google Chrome.app/Contents/MacOS/Google Chrome",
]
ARGUMENTS = [
    "--disable-background-networking",
    "--disable-component-update",
    "--disable-default-apps",
    "--disable-dev-shm-usage",
    "--disable-domain-reliability",
    "--disable-sync",
    "--no-first-run",
    "--no-pings",
]


def find() -> Path | None:
    named = os.environ.get("CHROMIUM", "").strip()
    places = [named, *(shutil.which(name) or "" for name in NAMES), *MAC_APPS]
    return next((Path(place) for place in places if place and Path(place).exists()), None)


@contextmanager
def chromium() -> Iterator[Browser]:
    """A headless browser. While it is open this thread has an event loop: Django refuses queries in it."""
    executable = find()
    if executable is None:
        raise RuntimeError(
            "no Chromium: install the package chromium (Debian), or Chromium or Google Chrome (macOS), "
            "or set CHROMIUM to its executable"
        )
    arguments = [*ARGUMENTS, "--no-sandbox"] if os.geteuid() == 0 else ARGUMENTS
    with sync_playwright() as playwright:
        browser = playwright.chromium.launch(executable_path=executable, headless=True, args=arguments)
        try:
            yield browser
        finally:
            browser.close()
