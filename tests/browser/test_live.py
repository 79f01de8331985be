"""A page says within seconds that it is not live any more, and shows the truth when it is live again."""

from __future__ import annotations

import re
from collections.abc import Iterator
from typing import Any

import pytest
from playwright.sync_api import expect

from tests.browser.conftest import Meet, Person, Place
from tests.browser.proxy import Proxy

pytestmark = [pytest.mark.browser, pytest.mark.real_server]


@pytest.fixture
def proxy(place: Place) -> Iterator[Proxy]:
    proxy = Proxy(place.server.port)
    yield proxy
    proxy.stop()


def test_a_page_cut_off_in_silence_says_so_and_catches_up_to_what_a_fresh_one_shows(
    place: Place, meet: Meet, proxy: Proxy
):
    tasks = [place.make_task("scout") for _ in range(5)]
    ada = meet("Ada", at=proxy.url).open_live()
    proxy.fall_silent()
    # Within 15 s (scenario 15): the page's own timer is far below that.
    expect(ada.page.locator("#live")).to_have_text(re.compile(r"Not live since \d\d:\d\d"), timeout=15_000)
    for task_id, _ in tasks[:3]:
        place.call("scout", "claim_task", task_id=task_id)
    place.call("scout", "set_status", task_id=tasks[3][0], status="cancelled")
    place.call("scout", "update_task", task_id=tasks[4][0], title="Renamed while nobody looked")
    place.call("scout", "send_message", room=place.room_id, body="Said while nobody looked")
    proxy.recover()
    expect(ada.page.locator("#live")).to_have_attribute("data-state", "live")
    expect(ada.card("Renamed while nobody looked")).to_be_visible()
    expect(ada.page.locator("#messages")).to_contain_text("Said while nobody looked")
    expect(ada.card(tasks[3][1])).to_have_count(0)
    fresh = meet("Ada").open_live()
    assert _shown(ada) == _shown(fresh)
    ada.problems.clear()  # the browser reports the connections that went dead


def test_what_a_command_beside_the_server_changes_is_seen_without_a_hint(place: Place, meet: Meet):
    _, title = place.make_task("scout")
    ada = meet("Ada").open_live()
    script = (
        "from tasks.models import Task\n"
        "from identity.actors import HumanActor\n"
        "from tasks.operations.edit import update_task\n"
        f"task = Task.objects.get(title={title!r})\n"
        "owner = task.room.created_by\n"
        "actor = HumanActor(owner_id=owner.pk, name=owner.name, handle=owner.handle)\n"
        "update_task(actor, task_id=task.pk, title=task.title + ' changed beside')\n"
    )
    place.server.manage("shell", "-c", script)
    expect(ada.card(f"{title} changed beside")).to_be_visible()


def test_messages_arrive_once_and_in_order_whoever_sends_them(place: Place, meet: Meet):
    ada, grace = meet("Ada").open_live(), meet("Grace").open_live()
    for number in range(4):
        writer = (ada, grace)[number % 2]
        writer.page.locator("#body").fill(f"Line {number} of the log")
        writer.page.locator("#body").press("Control+Enter")
        expect(writer.page.locator("#body")).to_have_value("")
        for person in (ada, grace):
            expect(person.page.locator("#messages li", has_text=f"Line {number} of the log")).to_have_count(1)
    assert _log(ada) == _log(grace) == [f"Line {number} of the log" for number in range(4)]


def test_signing_out_elsewhere_ends_the_open_page(place: Place, meet: Meet, signed_in: dict[str, list[Any]]):
    ada, other = meet("Ada", anew=True).open_live(), meet("Ada", anew=True)
    other.page.goto("/account")
    signed_in.pop("Ada", None)  # her other tests sign in again
    other.page.get_by_role("button", name="Sign out everywhere else").click()
    expect(other.page.locator("#notices")).to_contain_text("Signed out")
    expect(ada.page.get_by_role("heading", name="Sign In")).to_be_visible()


def _shown(person: Person) -> str:
    """The board and the talk, without what time alone changes."""
    lanes, messages = (person.page.locator(part).inner_html() for part in (".lanes", "#messages"))
    return re.sub(r"(<time [^>]*>)[^<]*|\s+| class=\"\"", r"\1", lanes + messages)


def _log(person: Person) -> list[str]:
    return [line for line in person.page.locator("#messages .prose").all_inner_texts() if line.startswith("Line ")]


def test_the_page_of_a_task_follows_what_happens_to_it(place: Place, meet: Meet):
    task_id, _ = place.make_task("scout")
    ada = meet("Ada").open(f"/tasks/{task_id}")
    expect(ada.page.locator("#live")).to_have_attribute("data-state", "live")
    place.call("scout", "claim_task", task_id=task_id)
    expect(ada.page.locator("#task-body")).to_contain_text("Doing")
    expect(ada.page.locator("#task-body .history")).to_contain_text("claimed it")
