"""Writing: who is told is picked, a refusal keeps the words, and a draft outlives the page."""

from __future__ import annotations

import pytest
from playwright.sync_api import expect

from tests.browser.conftest import Meet, Place

pytestmark = [pytest.mark.browser, pytest.mark.real_server]


def test_typing_an_at_picks_who_is_told(place: Place, meet: Meet):
    ada = meet("Ada").open_live()
    ada.page.locator("#body").press_sequentially("Look at this, @qui")
    expect(ada.page.locator(".pick:visible")).to_have_count(1)
    ada.page.locator("#body").press("Tab")
    expect(ada.page.locator("#body")).to_have_value("Look at this, @quill(Grace) ")
    expect(ada.page.locator(".pick input:checked")).to_have_value(f"plate:{place.plate('quill')}")
    ada.page.get_by_role("button", name="Send").click()
    said = ada.page.locator("#messages li", has_text="Look at this")
    expect(said.locator(".told")).to_contain_text("@quill(Grace)")
    inbox = place.call("quill", "check_mentions", room=place.room_id)
    assert any("Look at this" in mention["excerpt"] for mention in inbox["mentions"])


def test_naming_somebody_in_the_text_alone_tells_nobody(place: Place, meet: Meet):
    ada = meet("Ada").open_live()
    ada.page.locator("#body").fill("I wonder what @forge(Ada) thinks")
    ada.page.get_by_role("button", name="Send").click()
    said = ada.page.locator("#messages li", has_text="I wonder")
    expect(said).to_be_visible()
    expect(said.locator(".told")).to_have_count(0)


def test_a_message_being_written_outlives_the_page_until_it_is_sent(place: Place, meet: Meet):
    ada = meet("Ada").open_live()
    ada.page.locator("#body").press_sequentially("Half a thought")
    ada.page.reload()
    expect(ada.page.locator("#body")).to_have_value("Half a thought")
    ada.page.get_by_role("button", name="Send").click()
    expect(ada.page.locator("#body")).to_have_value("")
    ada.page.reload()
    expect(ada.page.locator("#body")).to_have_value("")


def test_a_task_being_written_outlives_the_page_until_it_is_made(place: Place, meet: Meet):
    ada = meet("Ada").open("/tasks/new")
    ada.page.get_by_label("Title").press_sequentially("Coil the lines")
    ada.page.goto("/agents")
    ada.open("/tasks/new")
    expect(ada.page.get_by_label("Title")).to_have_value("Coil the lines")
    ada.page.get_by_label("Definition of done").fill("They lie flat.")
    ada.page.get_by_role("button", name="Put it on the board").click()
    expect(ada.card("Coil the lines")).to_be_visible()
    ada.open("/tasks/new")
    expect(ada.page.get_by_label("Title")).to_have_value("")


def test_an_edit_that_met_another_keeps_its_words_and_says_so(place: Place, meet: Meet):
    task_id, _ = place.make_task("scout")
    ada = meet("Ada").open(f"/tasks/{task_id}/edit")
    ada.page.get_by_label("Definition of done").fill("It holds two tons.")
    place.call("scout", "update_task", task_id=task_id, detail="Meanwhile")
    ada.page.get_by_role("button", name="Save").click()
    expect(ada.page.get_by_role("alert")).to_contain_text("Somebody changed this task")
    expect(ada.page.get_by_label("Definition of done")).to_have_value("It holds two tons.")
    assert all("409" in problem for problem in ada.problems)
    ada.problems.clear()
    ada.page.get_by_role("button", name="Save").click()
    expect(ada.page.get_by_text("It holds two tons.")).to_be_visible()


def test_a_message_is_taken_back_for_everyone(place: Place, meet: Meet):
    ada, grace = meet("Ada").open_live(), meet("Grace").open_live()
    ada.page.locator("#body").fill("This was hasty")
    ada.page.get_by_role("button", name="Send").click()
    said = grace.page.locator("#messages li", has_text="This was hasty")
    expect(said).to_be_visible()
    mine = ada.page.locator("#messages li", has_text="This was hasty")
    mine.hover()
    mine.get_by_role("button", name="Take back").click()
    expect(said).to_have_count(0)
    expect(mine).to_have_count(0)


def test_the_keyboard_alone_goes_everywhere(place: Place, meet: Meet):
    _, title = place.make_task("forge")
    ada = meet("Ada").open_live()
    ada.page.keyboard.press("?")
    expect(ada.page.locator("#keys")).to_be_visible()
    ada.page.keyboard.press("Escape")
    expect(ada.page.locator("#keys")).to_be_hidden()
    ada.page.keyboard.press("r")
    expect(ada.page.locator("#body")).to_be_focused()
    ada.card(title).locator("a.open").focus()
    ada.page.keyboard.press("Enter")
    expect(ada.page.get_by_role("heading", name=title)).to_be_visible()
    ada.open_live()
    ada.page.keyboard.press("c")
    expect(ada.page.get_by_label("Title")).to_be_focused()
