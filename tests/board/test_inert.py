"""Whatever is written anywhere is shown and does nothing: a page full of attacks is built like a page full of x."""

from __future__ import annotations

from html.parser import HTMLParser
from urllib.parse import quote

import pytest

from agentroom.board.markdown import ATTRIBUTES, TAGS, rendered
from agentroom.board.templatetags.board import HTMX
from identity.models import Agent
from tasks.models import Task
from tests import factories
from tests.board.conftest import Browse
from tests.board.hostile import PAYLOADS, furnish

ROOM_PAGES = ["", "/done", "/talk", "/members", "/settings", "/tasks/new", "/parts/lanes", "/parts/head", "/parts/talk"]
ADDRESSES = {"href", "src", "action", "formaction", "hx-get", "hx-post"}
# Boards and lists show every text; of the pages that show one record each, every fifth is enough.
SAMPLE = 5
VOID = {"area", "base", "br", "col", "embed", "hr", "img", "input", "link", "meta", "source", "track", "wbr"}


class Skeleton(HTMLParser):
    """The elements of a page with their attributes' names, without text; rendered Markdown is set apart."""

    def __init__(self) -> None:
        super().__init__()
        self.elements: list[tuple[str, ...]] = []
        self.prose: list[tuple[str, dict[str, str]]] = []
        self.addresses: list[str] = []
        self._depth = 0

    def handle_starttag(self, tag: str, attrs: list[tuple[str, str | None]]) -> None:
        names = {name: value or "" for name, value in attrs}
        if self._depth:
            self._depth += tag not in VOID
            self.prose.append((tag, names))
            return
        if "prose" in names.get("class", "").split():
            self._depth = 1
        self.elements.append((tag, *sorted(names)))
        self.addresses += [value for name, value in names.items() if name in ADDRESSES]

    def handle_endtag(self, tag: str) -> None:
        if self._depth and tag not in VOID:
            self._depth -= 1


def skeleton(html: str) -> Skeleton:
    parsed = Skeleton()
    parsed.feed(html)
    return parsed


@pytest.fixture
def pages(db: None, browse: Browse):
    """`pages(texts)`: every page of a room in which each text stands everywhere, as its owner sees them."""

    def of(texts: list[str]) -> dict[str, Skeleton]:
        owner = factories.make_owner(f"eve{len(Agent.objects.all())}")
        agent = factories.make_agent(owner, "mimic")
        room = factories.make_room(admin=owner)
        factories.make_member(room, agent)
        furnish(room, owner, agent, texts)
        client = browse(owner)
        paths = {page: f"/rooms/{room.pk}{page}" for page in ROOM_PAGES} | {"/": "/", "/needs-you": "/needs-you"}
        paths |= {"/agents": "/agents", "/account": "/account", "search": f"/search?q={quote(texts[0])}&room={room.pk}"}
        for number, task in enumerate(Task.objects.filter(room=room).order_by("order")[::SAMPLE]):
            paths |= {f"task {number}": f"/rooms/{room.pk}/tasks/{task.pk}"}
            paths |= {f"menu {number}": f"/rooms/{room.pk}/tasks/{task.pk}/menu"}
            if task.status in {"todo", "blocked"}:
                paths |= {f"edit {number}": f"/rooms/{room.pk}/tasks/{task.pk}/edit"}
        for number, other in enumerate(Agent.objects.filter(owner=owner).order_by("pk")[::SAMPLE]):
            paths |= {f"agent {number}": f"/agents/{other.plate}"}
        answers = {name: client.get(path) for name, path in paths.items()}
        assert {answer.status_code for answer in answers.values()} <= {200, 204}
        return {name: skeleton(answer.content.decode()) for name, answer in answers.items()}

    return of


def test_there_are_enough_attacks():
    assert len(set(PAYLOADS)) >= 60


@pytest.mark.parametrize("part", range(4))
def test_an_attack_in_every_field_builds_the_page_that_plain_text_builds(part: int, pages):
    texts = PAYLOADS[part::4]
    attacked, plain = pages(texts), pages(["x" * 8] * len(texts))
    assert attacked.keys() == plain.keys()
    for name, page in attacked.items():
        if name != "search":  # what is found depends on the text
            assert page.elements == plain[name].elements, name
        for address in page.addresses:
            assert address.startswith(("/", "#", "?")) and not address.startswith("//"), (name, address)
        for tag, attributes in page.prose:
            assert tag in TAGS, name
            assert set(attributes) <= ATTRIBUTES.get(tag, set()) | {"rel", "class"}, name
            assert attributes.get("href", "https:").lower().startswith(("http:", "https:", "mailto:", "/", "#"))


@pytest.mark.parametrize("text", PAYLOADS)
def test_rendered_markdown_holds_only_what_is_allowed(text: str):
    page = skeleton(f'<div class="prose">{rendered(text)}</div>')
    for tag, attributes in page.prose:
        assert tag in TAGS
        assert set(attributes) <= ATTRIBUTES.get(tag, set()) | ({"rel"} if tag == "a" else set())
        if tag == "a":
            assert attributes["rel"] == "noopener nofollow ugc"
            assert attributes["href"].lower().startswith(("http:", "https:", "mailto:"))


def test_markdown_that_people_use_is_shown_as_such():
    html = rendered("**bold** `code` [a](https://ok.example)\nnext\n\n- one\n\n| a | b |\n|---|---|\n| 1 | 2 |")
    for part in (
        "<strong>bold</strong>",
        "<code>code</code>",
        'href="https://ok.example"',
        "<br",
        "<li>one</li>",
        "<td>1</td>",
    ):
        assert part in html


def test_text_made_of_marks_is_not_parsed():
    html = rendered("*a" * 16_000)
    assert html.startswith('<p class="verbatim">*a*a')


def test_injected_htmx_attributes_could_not_evaluate_anything():
    assert not HTMX["allowEval"]
    assert not HTMX["allowScriptTags"]
