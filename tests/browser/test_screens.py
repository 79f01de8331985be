"""Every page on every screen: nothing overflows, everything can be read, and the console stays quiet."""

from __future__ import annotations

import pytest
from playwright.sync_api import Page, expect

from tests.board.hostile import PAYLOADS
from tests.browser.conftest import Meet, Place

pytestmark = [pytest.mark.browser, pytest.mark.real_server]

ROOM_PAGES = ["", "/done", "/talk", "/members", "/settings", "/tasks/new"]
PAGES = ["/", "/needs-you", "/search?q=tide", "/account", "/agents"]

# Contrast as WCAG counts it, of every element with text of its own against the first background behind it.
CONTRAST = """() => {
  const canvas = document.createElement("canvas").getContext("2d", { willReadFrequently: true });
  const rgb = (colour) => {
    canvas.clearRect(0, 0, 1, 1); canvas.fillStyle = colour; canvas.fillRect(0, 0, 1, 1);
    return [...canvas.getImageData(0, 0, 1, 1).data];
  };
  const light = ([r, g, b]) => [r, g, b].map((c) => c / 255)
    .map((c) => c <= 0.04045 ? c / 12.92 : ((c + 0.055) / 1.055) ** 2.4)
    .reduce((sum, c, i) => sum + c * [0.2126, 0.7152, 0.0722][i], 0);
  const behind = (element) => {
    for (let one = element; one; one = one.parentElement) {
      const colour = rgb(getComputedStyle(one).backgroundColor);
      if (colour[3] === 255) return colour;
    }
    return rgb(getComputedStyle(document.body).backgroundColor);
  };
  const poor = [];
  for (const element of document.querySelectorAll("body *")) {
    const own = [...element.childNodes].some((node) => node.nodeType === 3 && node.textContent.trim());
    if (!own || !element.checkVisibility({ opacityProperty: true, visibilityProperty: true })) continue;
    if (element.closest(":disabled, option")) continue;
    const [one, other] = [light(rgb(getComputedStyle(element).color)), light(behind(element))];
    const ratio = (Math.max(one, other) + 0.05) / (Math.min(one, other) + 0.05);
    if (ratio < 4.5) poor.push([element.tagName, element.className, ratio.toFixed(2), element.textContent].join(" "));
  }
  return poor;
}"""


def _every_page(place: Place) -> list[str]:
    task_id, _ = place.make_task("scout")
    inside = [place.room + page for page in (*ROOM_PAGES, f"/tasks/{task_id}", f"/tasks/{task_id}/edit")]
    return [*PAGES, *inside, f"/agents/{place.plate('scout')}"]


@pytest.mark.parametrize("width", [360, 768, 1440])
def test_no_page_is_wider_than_its_screen(place: Place, meet: Meet, width: int):
    ada = meet("Ada", viewport={"width": width, "height": 800})
    for path in _every_page(place):
        ada.page.goto(path)
        assert ada.page.evaluate("document.documentElement.scrollWidth") <= width, path


@pytest.mark.parametrize("scheme", ["light", "dark"])
def test_every_word_stands_out_from_what_is_behind_it(place: Place, meet: Meet, scheme: str):
    ada = meet("Ada", color_scheme=scheme)
    for path in _every_page(place):
        ada.page.goto(path)
        assert ada.page.evaluate(CONTRAST) == [], path


def test_the_theme_follows_the_system_until_one_is_chosen(place: Place, meet: Meet):
    ada = meet("Ada", color_scheme="dark")
    ada.page.goto("/account")
    dark = _paper(ada.page)
    ada.page.get_by_role("button", name="Light").click()
    light = _paper(ada.page)
    assert light != dark
    ada.open()
    assert _paper(ada.page) == light


def test_what_is_focused_shows(place: Place, meet: Meet):
    ada = meet("Ada")
    for path in PAGES:
        ada.page.goto(path)
        for _ in range(12):
            ada.page.keyboard.press("Tab")
            if ada.page.evaluate("document.activeElement !== document.body"):  # past the end is the browser's own
                assert _shows_focus(ada.page), path


def test_on_a_phone_the_menu_leads_to_every_page(place: Place, meet: Meet):
    ada = meet("Ada", viewport={"width": 360, "height": 740}, has_touch=True, is_mobile=True).open_live()
    ada.page.get_by_label("Menu").tap()
    ada.page.locator(".rail-menu").get_by_role("link", name="Needs you").tap()
    expect(ada.page.get_by_role("heading", name="Needs you")).to_be_visible()
    ada.open()
    ada.page.get_by_role("link", name="Talk", exact=True).tap()
    expect(ada.page.locator("#talk")).to_be_in_viewport()


def test_a_room_full_of_attacks_runs_none_of_them(place: Place, meet: Meet):
    ada = meet("Ada")
    room = _hostile_room(place)
    for page in ("", "/done", "/talk", "/members", "/settings"):
        ada.page.goto(f"/rooms/{room}{page}")
        ada.page.wait_for_load_state("networkidle")
    ada.page.goto(f"/rooms/{room}")
    expect(ada.page.locator("#live")).to_have_attribute("data-state", "live")
    expect(ada.page.locator(".card a.open").first).to_be_visible()
    ada.page.locator(".card [data-menu]").first.click()
    expect(ada.page.locator("#menu")).to_be_visible()
    assert ada.page.evaluate("[...document.querySelectorAll('img, iframe, object, embed, base, style')].length") == 0


def _hostile_room(place: Place) -> str:
    """A room of Ada's in which every text is an attack."""
    script = (
        "from identity.models import Agent, Owner\n"
        "from tests import factories\n"
        "from tests.board.hostile import PAYLOADS, furnish\n"
        "ada = Owner.objects.get(name='Ada')\n"
        "mimic = factories.make_agent(ada, 'mimic')\n"
        "room = factories.make_room('Trap', admin=ada)\n"
        "factories.make_member(room, mimic)\n"
        "furnish(room, ada, mimic, PAYLOADS)\n"
        "Owner.objects.filter(pk=ada.pk).update(name='Ada')\n"
        "print('ROOM', room.pk)\n"
    )
    assert len(PAYLOADS) >= 60
    return place.server.manage("shell", "-c", script).rpartition("ROOM ")[2].strip()


def _paper(page: Page) -> str:
    colour: str = page.evaluate("getComputedStyle(document.body).backgroundColor")
    return colour


def _shows_focus(page: Page) -> bool:
    shows: bool = page.evaluate(
        "() => { const it = document.activeElement; const card = it.closest('.card, .pick');"
        " return [it, card].some((one) => one && getComputedStyle(one).outlineStyle !== 'none'); }"
    )
    return shows
