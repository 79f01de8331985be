"""A person at the board: a real Chromium, driven by what the screen says."""

from __future__ import annotations

from typing import Any

from playwright.sync_api import Browser, Locator, Page, expect

WAIT_MS = 30_000
expect.set_options(timeout=WAIT_MS)


class Person:
    """One browser window of one owner, signed in by a one-time link."""

    def __init__(self, browser: Browser, url: str, sign_in_url: str) -> None:
        self._context = browser.new_context(viewport={"width": 1280, "height": 900}, reduced_motion="reduce")
        self._context.set_default_timeout(WAIT_MS)
        self.page: Page = self._context.new_page()
        self._url = url
        self.complaints: list[str] = []
        self.page.on("pageerror", lambda error: self.complaints.append(str(error)))
        self.page.goto(sign_in_url)
        self.page.get_by_role("button", name="Sign in").click()
        expect(self.page.get_by_role("heading", name="Rooms", exact=True, level=1)).to_be_visible()

    def make_room(self, name: str) -> str:
        """Make a room and return its id."""
        self.page.goto(f"{self._url}/")
        self.page.get_by_label("Name").fill(name)
        self.page.get_by_role("button", name="Make the room").click()
        expect(self.page.get_by_role("heading", name=name)).to_be_visible()
        return self.page.url.rpartition("/rooms/")[2][:26]

    def bring(self, room: str, agent: str) -> None:
        """Bring an agent of one's own into the room."""
        self.page.goto(f"{self._url}/rooms/{room}/members")
        option = self.page.locator("#plate option", has_text=agent).get_attribute("value")
        self.page.locator("#plate").select_option(option)
        self.page.locator("form", has=self.page.locator("#plate")).get_by_role("button").click()
        expect(self.page.locator("li", has_text=agent).get_by_role("button", name="Take out")).to_be_visible()

    def invite_link(self, room: str) -> str:
        self.page.goto(f"{self._url}/rooms/{room}/members")
        self.page.get_by_role("button", name="Make the invite").click()
        return self.page.locator("#invite-link").inner_text().strip()

    def accept(self, link: str, *, agent: str) -> None:
        """Join by an invite, with one agent."""
        self.page.goto(link)
        self.page.get_by_label(agent).check()
        self.page.get_by_role("button", name="Join").click()
        expect(self.page.get_by_text(agent).first).to_be_visible()

    def open_room(self, room: str) -> None:
        self.page.goto(f"{self._url}/rooms/{room}")
        expect(self.page.locator("#live")).to_be_visible()

    def turn_trust(self, room: str, *, on: bool) -> None:
        self.open_room(room)
        trust = self.page.locator(".trust summary")
        before, after = ("Trust off", "Trust on") if on else ("Trust on", "Trust off")
        expect(trust).to_have_text(before)
        trust.click()
        self.page.get_by_role("button", name=f"Turn {after}").click()
        expect(self.page.locator(".trust summary")).to_have_text(after)

    def drag(self, task: str, *, to: str) -> None:
        """Drag a card into the lane of the agent with plate `to`."""
        self.page.locator(f"#task-{task}").drag_to(self.lane(to).locator(".cards"))

    def lane(self, plate: str) -> Locator:
        return self.page.locator(f'.lane[data-plate="{plate}"]')

    def expect_card(self, task: str, *, in_lane: str, saying: str | None = None) -> None:
        card = self.lane(in_lane).locator(f"#task-{task}")
        expect(card).to_be_visible()
        if saying:
            expect(card).to_contain_text(saying)

    def close(self) -> None:
        self._context.close()
        assert not self.complaints, self.complaints


def people(browser: Browser, url: str, demo: dict[str, Any]) -> list[Person]:
    return [Person(browser, url, owner["sign_in_url"]) for owner in demo["owners"]]
