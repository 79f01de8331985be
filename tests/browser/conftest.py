"""People in real browsers, before a real server with the demo in it."""

from __future__ import annotations

import itertools
from collections.abc import Callable, Iterator
from dataclasses import dataclass, field
from typing import Any

import httpx
import pytest
from playwright.sync_api import Browser, BrowserContext, Locator, Page, expect

from tests.services.server import Server

# Twice what the slowest machine needed; a test fails only on never.
expect.set_options(timeout=20_000)
_numbers = itertools.count(1)


@dataclass
class Place:
    """The demo as a test needs it: a server, its room, and keys to everything."""

    server: Server
    demo: dict[str, Any]
    http: httpx.Client

    @property
    def url(self) -> str:
        return self.server.url

    @property
    def room(self) -> str:
        return f"/rooms/{self.demo['rooms'][0]['id']}"

    @property
    def room_id(self) -> str:
        return str(self.demo["rooms"][0]["id"])

    def plate(self, name: str) -> str:
        return next(agent["plate"] for agent in self.demo["agents"] if agent["name"] == name)

    def call(self, name: str, tool: str, **arguments: Any) -> dict[str, Any]:
        """What the agent of this name gets from a tool."""
        token = next(agent["token"] for agent in self.demo["agents"] if agent["name"] == name)
        answer = self.http.post(f"/v1/tools/{tool}", json=arguments, headers={"Authorization": f"Bearer {token}"})
        assert answer.status_code == 200, answer.text
        data: dict[str, Any] = answer.json()
        return data

    def make_task(self, assignee: str | None = None, title: str = "") -> tuple[str, str]:
        """A new task of the room: its id and its title, which no other task has."""
        title = title or f"Splice rope {next(_numbers)}"
        more = {"assignee": self.plate(assignee)} if assignee else {}
        made = self.call("scout", "create_task", room=self.room_id, title=title, definition_of_done="It holds.", **more)
        return made["task_id"], title


@dataclass
class Person:
    """One browser of one person. `problems` collects what its console had to say."""

    place: Place
    page: Page
    problems: list[str] = field(default_factory=list)

    def open(self, path: str = "") -> Person:
        """The room, or a page of it; returns once the page is live."""
        self.page.goto(self.place.room + path if not path.startswith("/needs") else path)
        return self

    def open_live(self) -> Person:
        self.open()
        expect(self.page.locator("#live")).to_have_attribute("data-state", "live")
        return self

    def card(self, title: str) -> Locator:
        return self.page.locator(".card", has_text=title)

    def lane(self, name: str) -> Locator:
        return self.page.locator(".lane", has=self.page.locator("h2", has_text=name))

    def expect_in(self, lane: str, title: str) -> None:
        expect(self.lane(lane).locator(".card", has_text=title)).to_have_count(1)


@pytest.fixture(scope="session")
def place(embedded_server: Server) -> Iterator[Place]:
    with httpx.Client(base_url=embedded_server.url, trust_env=False, timeout=30) as http:
        yield Place(embedded_server, embedded_server.demo(), http)


Meet = Callable[..., Person]


@pytest.fixture(scope="session")
def signed_in() -> dict[str, list[Any]]:
    """The cookies of whoever has signed in, by name: a link costs a command, so one session serves many tests."""
    return {}


@pytest.fixture
def meet(browser: Browser, place: Place, signed_in: dict[str, list[Any]]) -> Iterator[Meet]:
    """`meet("Ada", **options of the browser)`: signed in, with a browser of her own. Its console must stay quiet.

    `anew` signs in by a link of its own, in a session that no other test has; `link` is somebody else's.
    """
    opened: list[tuple[BrowserContext, Person]] = []

    def come(name: str = "Ada", *, at: str = "", anew: bool = False, link: str = "", **options: Any) -> Person:
        options = {"viewport": {"width": 1280, "height": 900}, "reduced_motion": "reduce", **options}
        context = browser.new_context(base_url=at or place.url, **options)
        person = Person(place, context.new_page())
        _listen(person)
        opened.append((context, person))
        if anew or name not in signed_in:
            _sign_in(person, name, link)
            signed_in.setdefault(name, context.cookies())
        else:
            context.add_cookies(signed_in[name])
        return person

    yield come
    for context, person in opened:
        context.close()
        assert person.problems == []


def _listen(person: Person) -> None:
    person.page.on("pageerror", lambda error: person.problems.append(f"error: {error}"))
    person.page.on("console", lambda line: person.problems.append(line.text) if line.type == "error" else None)
    person.page.on("dialog", lambda dialog: (person.problems.append(dialog.message), dialog.dismiss()))


def _sign_in(person: Person, name: str, link: str) -> None:
    if not link:
        owners = person.place.server.demo()["owners"]
        link = next(owner["sign_in_url"] for owner in owners if owner["name"] == name)
    person.page.goto(link.removeprefix(person.place.url))
    person.page.get_by_role("button", name="Sign in").click()
    expect(person.page.get_by_role("heading", name="Rooms", exact=True, level=1)).to_be_visible()
