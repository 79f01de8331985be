"""A card is moved by one person and seen by another, by mouse, by keys and by menu."""

from __future__ import annotations

import pytest
from playwright.sync_api import expect

from tests.browser.conftest import Meet, Place

pytestmark = [pytest.mark.browser, pytest.mark.real_server]


def test_a_dragged_card_moves_in_both_browsers(place: Place, meet: Meet):
    _, title = place.make_task("scout")
    ada, grace = meet("Ada").open_live(), meet("Grace").open_live()
    ada.expect_in("scout", title)
    ada.card(title).drag_to(ada.lane("forge"))
    ada.expect_in("forge", title)
    grace.expect_in("forge", title)


def test_a_card_moves_to_the_agent_beside_with_shift_and_an_arrow(place: Place, meet: Meet):
    _, title = place.make_task("forge")
    ada, grace = meet("Ada").open_live(), meet("Grace").open_live()
    ada.card(title).locator("a.open").focus()
    ada.page.keyboard.press("Shift+ArrowRight")
    grace.expect_in("quill", title)
    expect(ada.card(title).locator("a.open")).to_be_focused()


def test_the_menu_of_a_card_gives_it_away(place: Place, meet: Meet):
    _, title = place.make_task("scout")
    ada, grace = meet("Ada").open_live(), meet("Grace").open_live()
    ada.card(title).locator("a.open").focus()
    ada.page.keyboard.press("m")
    ada.page.locator("#menu").get_by_role("button", name="forge").click()
    ada.expect_in("forge", title)
    grace.expect_in("forge", title)
    expect(ada.page.locator("#menu")).to_be_hidden()


def test_a_card_dragged_within_its_lane_keeps_its_new_place(place: Place, meet: Meet):
    _, first = place.make_task("quill")
    _, second = place.make_task("quill")
    ada, grace = meet("Ada").open_live(), meet("Grace").open_live()
    ada.card(second).drag_to(ada.card(first), target_position={"x": 40, "y": 4})
    for person in (ada, grace):
        titles = person.lane("quill").locator(".card a.open")
        expect(titles.filter(has_text="Splice")).to_contain_text([second, first])


def test_of_two_who_drag_one_card_the_second_is_told_and_the_card_goes_where_it_is(place: Place, meet: Meet):
    task_id, title = place.make_task("scout")
    ada, late = meet("Ada").open_live(), meet("Ada").open_live()
    # What ada does must not reach the other browser before it drags.
    late.page.route("**/parts/lanes*", lambda route: route.fulfill(status=204))
    ada.card(title).drag_to(ada.lane("forge"))
    ada.expect_in("forge", title)
    late.card(title).drag_to(late.lane("quill"))
    expect(late.page.locator("#notices [role=alert]")).to_be_visible()
    late.expect_in("scout", title)
    late.page.unroute("**/parts/lanes*")
    late.page.reload()
    late.expect_in("forge", title)
    found = place.call("forge", "read_board", room=place.room_id, task_id=task_id)
    assert found["task"]["assignee"] == place.plate("forge")
    assert all("409" in problem for problem in late.problems)
    late.problems.clear()


def test_whoever_moves_a_card_by_keys_and_is_refused_goes_on_from_it(place: Place, meet: Meet):
    task_id, title = place.make_task("scout")
    ada, late = meet("Ada").open_live(), meet("Ada").open_live()
    late.page.route("**/parts/lanes*", lambda route: route.fulfill(status=204))
    ada.card(title).drag_to(ada.lane("forge"))
    ada.expect_in("forge", title)
    opener = late.page.locator(f"#open-{task_id}")
    opener.focus()
    late.page.keyboard.press("Shift+ArrowLeft")
    expect(late.page.locator("#notices [role=alert]")).to_contain_text("Somebody moved this task")
    late.expect_in("scout", title)
    expect(opener).to_be_focused()
    late.page.unroute("**/parts/lanes*")
    late.page.evaluate("refresh()")
    late.expect_in("forge", title)
    expect(opener).to_be_focused()
    late.problems.clear()  # the console names the refusal


def test_a_move_that_fails_leaves_the_card_where_the_one_before_it_put_it(place: Place, meet: Meet):
    _, title = place.make_task("scout")
    ada = meet("Ada").open_live()
    opener = ada.card(title).locator("a.open")
    opener.focus()
    ada.page.keyboard.press("Shift+ArrowLeft")
    ada.expect_in("quill", title)
    expect(ada.card(title).locator("a.open")).to_be_focused()
    ada.page.route("**/assignment*", lambda route: route.fulfill(status=500, body=""))
    ada.page.keyboard.press("Shift+ArrowRight")
    ada.expect_in("quill", title)
    ada.problems.clear()  # the console names the failure


def test_an_arrow_enters_the_board_from_nowhere_and_scrolls_from_elsewhere(place: Place, meet: Meet):
    place.make_task("scout")
    ada = meet("Ada").open_live()
    ada.page.keyboard.press("ArrowDown")
    expect(ada.page.locator(".lane .card a.open").first).to_be_focused()
    ada.page.get_by_role("link", name="Members").focus()
    ada.page.keyboard.press("ArrowDown")
    expect(ada.page.get_by_role("link", name="Members")).to_be_focused()


@pytest.mark.parametrize("width", [360, 1280])
def test_a_notice_covers_nothing_and_goes_when_told(place: Place, meet: Meet, width: int):
    _, title = place.make_task("scout")
    ada = meet("Ada", viewport={"width": width, "height": 700}).open_live()
    ada.page.route("**/assignment*", lambda route: route.continue_(post_data="assignee=nobody"))
    ada.card(title).locator("a.open").focus()
    ada.page.keyboard.press("Shift+ArrowLeft")
    notice = ada.page.locator("#notices .notice")
    expect(notice).to_be_visible()
    ada.page.locator("#body").fill("Can I send this?")
    ada.page.get_by_role("button", name="Send").click(trial=True)
    ada.page.get_by_role("link", name="New task").click(trial=True)
    notice.get_by_role("button", name="Dismiss").click()
    expect(notice).to_have_count(0)
    ada.problems.clear()  # the console names the refusal


def test_a_plain_member_cannot_drag(place: Place, meet: Meet):
    _, title = place.make_task("scout")
    grace = meet("Grace").open_live()
    expect(grace.card(title)).not_to_have_attribute("draggable", "true")
    grace.card(title).locator("[data-menu]").click()
    expect(grace.page.locator("#menu")).to_contain_text("Open")
    expect(grace.page.locator("#menu")).not_to_contain_text("Give to")


def test_without_a_script_the_board_is_read_and_a_task_reassigned(place: Place, meet: Meet):
    _, title = place.make_task("scout")
    ada = meet("Ada", java_script_enabled=False).open()
    ada.card(title).locator("a.open").click()
    ada.page.locator("#change").get_by_role("button", name="forge").click()
    ada.open()
    ada.expect_in("forge", title)
