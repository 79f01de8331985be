"""Every page there is, full of the longest things without a blank: nothing sticks out of the screen on any of them."""

from __future__ import annotations

import json
from typing import Any

import pytest
from playwright.sync_api import expect

from tests.board.test_access import PAGES as ROUTES
from tests.browser.conftest import Meet, Person, Place

pytestmark = [pytest.mark.browser, pytest.mark.real_server]

WIDTHS = [360, 768, 1440]

# The board's pages by the name of their route. A route that is not here, and not among the rest, fails.
PAGES = {
    "rooms": "/",
    "needs you": "/needs-you",
    "search": "/search?q=WWWW",
    "account": "/account",
    "verify again": "/account/verify?next=/account",
    "agents": "/agents",
    "agent": "/agents/{plate}",
    "room": "/rooms/{room}",
    "done": "/rooms/{room}/done",
    "talk": "/rooms/{room}/talk",
    "members": "/rooms/{room}/members",
    "room settings": "/rooms/{room}/settings",
    "new task": "/rooms/{room}/tasks/new",
    "task": "/rooms/{room}/tasks/{task}",
    "edit task": "/rooms/{room}/tasks/{task}/edit",
    "invite": "/invites/{invite}",
    "sign-in link": "/sign-in/{unused_link}",
}
# Parts of pages above, fetched by them.
PARTS = {"needs you count", "ticket", "lanes", "talk part", "part", "task menu"}
MORE = [
    "/rooms/{room}/done?archived",
    "/rooms/{room}?reply=nothing",
    "/search?q=" + "W" * 200,
    "/accounts/email/",
    "/accounts/password/set/",
    "/accounts/2fa/",
    "/accounts/reauthenticate/",
    "/reference/tools",
    "/reference/errors",
    "/nowhere/" + "w" * 300,
]
STRANGERS = [
    "/accounts/login/",
    "/accounts/login/code/",
    "/accounts/signup/",
    "/accounts/password/reset/",
    "/invites/{invite}",
    "/invites/gone",
    "/sign-in/{unused_link}",
]
# How far the page is wider than the screen, and what can be read or pressed but lies outside of it. What scrolls by
# itself may, and so may what ends in dots.
STICKS_OUT = """() => {
  const wide = document.documentElement.scrollWidth - document.documentElement.clientWidth;
  const isCut = (one) => one && (getComputedStyle(one).textOverflow === "ellipsis" || isCut(one.parentElement));
  const scrolls = (one) => one.closest(".lanes, .table-wrap, .prose pre, .skip, .pick") || isCut(one);
  const shows = (one) => one.checkVisibility({ opacityProperty: true });
  const out = [...document.querySelectorAll("a, button, input, select, textarea, summary, h1, h2, time")];
  const outside = out.filter((one) => {
    const { left, right, width } = one.getBoundingClientRect();
    return width > 2 && (left < -1 || right > innerWidth + 1) && shows(one) && !scrolls(one);
  });
  return [...(wide > 0 ? [`the page by ${wide} px`] : []), ...outside.map((one) => one.outerHTML.slice(0, 120))];
}"""


@pytest.fixture(scope="module")
def longest(place: Place) -> dict[str, Any]:
    script = "import json; from tests.board.longest import furnish_longest as go; print('ALL', json.dumps(go()))"
    found: dict[str, Any] = json.loads(place.server.manage("shell", "-c", script).rpartition("ALL ")[2])
    return found


@pytest.fixture(scope="module")
def cookies() -> list[Any]:
    return []


@pytest.fixture
def come(meet: Meet, longest: dict[str, Any], cookies: list[Any]):
    """`come(width)`: that person, before a screen of that width, in a browser whose name is as long as it may be."""

    def meeting(width: int, **options: Any) -> Person:
        options = {"viewport": {"width": width, "height": 800}, "user_agent": "W" * 400, **options}
        return meet("longest", link=longest["sign_in_url"], **options)

    return meeting


def test_every_route_of_the_board_is_walked():
    assert {name for name, (method, *_) in ROUTES.items() if method == "GET"} == PAGES.keys() | PARTS


@pytest.mark.parametrize("width", WIDTHS)
def test_no_page_is_wider_than_its_screen(longest: dict[str, Any], come, width: int):
    person = come(width)
    found = {}
    for path in [*PAGES.values(), *MORE]:
        person.page.goto(path.format(**longest))
        found[path] = person.page.evaluate(STICKS_OUT)
    person.problems.clear()  # the page that is not there
    assert {path: out for path, out in found.items() if out} == {}


@pytest.mark.parametrize("width", WIDTHS)
def test_no_answer_to_a_form_is_wider_than_its_screen(longest: dict[str, Any], come, width: int):
    person = come(width)
    found = {
        "a new credential": _press(person, "/agents/{plate}".format(**longest), "Make a credential"),
        "a new invite": _press(person, "/rooms/{room}/members".format(**longest), "Make the invite"),
        "a refused name": _press(person, "/account", "Change", {"Your name": "@" + "W" * 63}),
        "a refused task": _press(
            person,
            "/rooms/{room}/tasks/new".format(**longest),
            "Put it on the board",
            {"Title": "W" * 200, "Definition of done": "W" * 2000, "Specification": "W" * 200},
        ),
        "a refused room": _press(person, "/", "Make the room", {"Name": "\u200b", "Focus": "W" * 400}),
    }
    person.problems.clear()  # the refusals
    assert {page: out for page, out in found.items() if out} == {}


@pytest.mark.parametrize("width", WIDTHS)
def test_nothing_that_opens_is_wider_than_its_screen(longest: dict[str, Any], come, width: int):
    person = come(width)
    page, found = person.page, {}
    page.goto("/rooms/{room}".format(**longest))
    expect(page.locator("#live")).to_have_attribute("data-state", "live")
    page.locator(".trust > summary").click()
    expect(page.locator(".trust .sheet")).to_be_visible()
    found["trust"] = page.evaluate(STICKS_OUT)
    page.keyboard.press("Escape")
    page.locator(".card [data-menu]").first.click()
    expect(page.locator("#menu")).to_be_visible()
    found["the menu of a card"] = page.evaluate(STICKS_OUT)
    page.keyboard.press("Escape")
    if width < 800:
        page.get_by_label("Menu").click()
        expect(page.locator(".rail-menu .sheet")).to_be_visible()
        found["the menu of pages"] = page.evaluate(STICKS_OUT)
        page.keyboard.press("Escape")
    page.locator("#body").fill("@" + "W" * 60)
    found["the composer"] = page.evaluate(STICKS_OUT)
    assert {what: out for what, out in found.items() if out} == {}


@pytest.mark.parametrize("width", WIDTHS)
def test_no_page_before_the_door_is_wider_than_its_screen(place: Place, browser, longest: dict[str, Any], width: int):
    context = browser.new_context(base_url=place.url, viewport={"width": width, "height": 800})
    page, found = context.new_page(), {}
    for path in STRANGERS:
        page.goto(path.format(**longest))
        found[path] = page.evaluate(STICKS_OUT)
    context.close()
    assert {path: out for path, out in found.items() if out} == {}


def _press(person: Person, path: str, button: str, fields: dict[str, str] | None = None) -> list[str]:
    """What sticks out of the page that answers."""
    person.page.goto(path)
    for label, text in (fields or {}).items():
        person.page.get_by_label(label, exact=True).fill(text)
    person.page.get_by_role("button", name=button, exact=True).click()
    person.page.wait_for_load_state()
    found: list[str] = person.page.evaluate(STICKS_OUT)
    return found
