"""`make screenshots`: photographs the demo as the README shows it. Few and small, into docs/screenshots/."""

from __future__ import annotations

from pathlib import Path
from typing import Any

from tests.services.chromium import chromium
from tests.services.server import CHECKOUT, EmbeddedServer

FOLDER = CHECKOUT / "docs" / "screenshots"
SHOTS = (("room-light", "light", 1280, 720), ("room-dark", "dark", 1280, 720), ("room-phone", "light", 390, 780))


def main() -> None:
    server = EmbeddedServer().start()
    FOLDER.mkdir(exist_ok=True)
    try:
        with chromium() as browser:
            for name, scheme, width, height in SHOTS:
                demo = server.demo()
                photograph(browser, server.url, demo, FOLDER / f"{name}.png", scheme, width, height)
    finally:
        server.stop()


def photograph(browser: Any, url: str, demo: dict[str, Any], path: Path, scheme: str, width: int, height: int) -> None:
    context = browser.new_context(
        viewport={"width": width, "height": height}, color_scheme=scheme, reduced_motion="reduce"
    )
    page = context.new_page()
    page.goto(demo["owners"][0]["sign_in_url"])
    page.get_by_role("button", name="Sign in").click()
    page.goto(f"{url}/rooms/{demo['rooms'][0]['id']}")
    page.locator("#live").wait_for()
    page.screenshot(path=path)
    context.close()
    print(f"{path.relative_to(CHECKOUT)}: {path.stat().st_size // 1024} KiB")


if __name__ == "__main__":
    main()
