"""Every socket × who knocks, against the checked-in table, on a real server (T-12)."""

from __future__ import annotations

import json
import re
from collections.abc import Iterator
from contextlib import ExitStack
from dataclasses import dataclass
from typing import Any
from urllib.parse import urlsplit

import httpx
import pytest
from websockets.exceptions import WebSocketException
from websockets.sync.client import connect

from agentroom.board.routing import websocket_urlpatterns
from agentroom.core.ids import ulid
from tests.contract import matrix

SOCKETS: dict[str, str] = matrix.TABLE["sockets"]
KNOCKERS = ("nobody", "agent", "outsider", "staff", "member", "admin", "no ticket", "foreign page")

# Two people who are in no room of the demo, one of them staff without rights; their one-time links are printed.
STRANGERS = """
import json
from identity.actors import SystemActor
from identity.models import Owner
from identity.operations.signin import make_sign_in_link
links = {}
for name, staff in (("outsider", False), ("staff", True)):
    email = f"{name}@example.test"
    owner = Owner.objects.filter(email=email).first()
    owner = owner or Owner.objects.create_user(email, None, name=name.title() + "er", is_staff=staff, verified=True)
    links[name] = make_sign_in_link(SystemActor(), owner_id=owner.pk).token
print(json.dumps(links))
"""


@dataclass(frozen=True)
class Knocks:
    """A server with the demo, and everybody who may come by in a browser of their own."""

    room: str
    people: dict[str, httpx.Client]


@pytest.fixture(scope="module")
def knocks(embedded_server) -> Iterator[Knocks]:
    demo = embedded_server.demo()
    with ExitStack() as opened:

        def browser(**headers: str) -> httpx.Client:
            url = embedded_server.url
            return opened.enter_context(
                httpx.Client(base_url=url, trust_env=False, verify=False, follow_redirects=True, headers=headers)
            )

        people = {who: _signed_in(browser(), link) for who, link in _links(embedded_server, demo).items()}
        people["nobody"] = browser()
        people["agent"] = browser(Authorization=f"Bearer {demo['agents'][0]['token']}")
        yield Knocks(demo["rooms"][0]["id"], people)


def test_every_socket_stands_in_the_table():
    assert {pattern.pattern.regex.pattern.strip("^$") for pattern in websocket_urlpatterns} == SOCKETS.keys()


@pytest.mark.parametrize("pattern", SOCKETS)
def test_a_socket_opens_to_whom_the_table_says(pattern: str, knocks: Knocks):
    room, member = knocks.room, knocks.people["member"]
    found = {who: _opens(knocks.people[who], pattern, room) for who in KNOCKERS[:6]}
    found["no ticket"] = _opens(member, pattern, room, ticket="")
    found["foreign page"] = _opens(member, pattern, room, origin="http://127.0.0.1:1")
    assert found == dict(zip(KNOCKERS, SOCKETS[pattern].split(), strict=True))


def test_a_ticket_opens_its_own_room_in_its_own_session_only(knocks: Knocks):
    pattern, room = next(iter(SOCKETS)), knocks.room
    admin, member = knocks.people["admin"], knocks.people["member"]
    ticket = _ticket(admin, room)
    assert _opens(admin, pattern, room, ticket=ticket) == "open"
    assert _opens(member, pattern, room, ticket=ticket) == "shut"
    assert _opens(admin, pattern, ulid(), ticket=ticket) == "shut"


def _links(server: Any, demo: dict[str, Any]) -> dict[str, str]:
    made = json.loads(server.manage("shell", "--no-imports", "-c", STRANGERS).strip().splitlines()[-1])
    own = {who: f"{server.url}/sign-in/{token}" for who, token in made.items()}
    return {**own, "admin": demo["owners"][0]["sign_in_url"], "member": demo["owners"][1]["sign_in_url"]}


def _signed_in(client: httpx.Client, link: str) -> httpx.Client:
    page = client.get(link)
    token = re.search(r'name="csrfmiddlewaretoken" value="([^"]+)"', page.text)
    assert token, page.text
    headers = {"Origin": str(client.base_url).rstrip("/"), "Referer": link}
    answer = client.post(link, data={"csrfmiddlewaretoken": token[1]}, headers=headers)
    assert answer.status_code == 200, answer.text
    return client


def _ticket(client: httpx.Client, room: str) -> str:
    answer = client.get(f"/rooms/{room}/ticket", follow_redirects=False)
    return answer.json()["ticket"] if answer.status_code == 200 else ""


def _opens(client: httpx.Client, pattern: str, room: str, *, ticket: str | None = None, origin: str = "") -> str:
    """Whether the socket opens and says hello to this client."""
    base = str(client.base_url).rstrip("/")
    path = re.sub(r"\(\?P<room_id>[^)]*\)", room, pattern)
    ticket = _ticket(client, room) if ticket is None else ticket
    headers = {"Cookie": "; ".join(f"{name}={value}" for name, value in client.cookies.items())}
    if "Authorization" in client.headers:
        headers["Authorization"] = client.headers["Authorization"]
    try:
        with connect(
            f"ws://{urlsplit(base).netloc}/{path}?ticket={ticket}",
            origin=origin or base,
            additional_headers=headers,
            proxy=None,
        ) as socket:
            return "open" if json.loads(socket.recv(timeout=20))["kind"] == "hello" else "shut"
    except WebSocketException:
        return "shut"
