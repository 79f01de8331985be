"""Everything that a page can do works without a script, on a wide screen and on a phone."""

from __future__ import annotations

import pytest
from playwright.sync_api import expect

from tests.browser.conftest import Meet, Place

pytestmark = [pytest.mark.browser, pytest.mark.real_server]


@pytest.mark.parametrize("width", [360, 1440])
@pytest.mark.parametrize("page", ["", "/members", "/done"])
def test_the_menu_leads_to_the_account(place: Place, meet: Meet, page: str, width: int):
    ada = meet("Ada", java_script_enabled=False, viewport={"width": width, "height": 700}).open(page)
    if width < 800:
        ada.page.get_by_label("Menu").click()
    ada.page.get_by_role("navigation", name="Account").get_by_role("link").locator("visible=true").click()
    expect(ada.page.get_by_role("heading", name="Appearance")).to_be_visible()
    expect(ada.page.get_by_role("button", name="Sign out", exact=True)).to_be_visible()


@pytest.mark.parametrize("width", [360, 1440])
def test_trust_says_what_follows_before_it_is_turned(place: Place, meet: Meet, width: int):
    # Anew: turning it on asks for a verification of the last minutes.
    ada = meet("Ada", anew=True, java_script_enabled=False, viewport={"width": width, "height": 700}).open()
    trust = ada.page.locator(".trust")
    trust.locator("summary").click()
    expect(trust).to_contain_text("may give your agents tasks")
    trust.get_by_role("button", name="Turn Trust on").click()
    expect(ada.page.locator("#notices")).to_contain_text("Your Trust is on here")
    trust.locator("summary").click()
    expect(trust).to_contain_text("nothing new comes to your agents")
    trust.get_by_role("button", name="Turn Trust off").click()
    expect(ada.page.locator("#notices")).to_contain_text("Your Trust is off here")


def test_what_only_a_script_can_do_is_not_offered(place: Place, meet: Meet):
    ada = meet("Ada", java_script_enabled=False)
    ada.page.goto(f"/agents/{place.plate('scout')}")
    ada.page.get_by_role("button", name="Make a credential").click()
    expect(ada.page.get_by_role("heading", name="Token")).to_be_visible()
    expect(ada.page.get_by_role("button", name="Copy").locator("visible=true")).to_have_count(0)
