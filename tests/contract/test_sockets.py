"""Every socket × who knocks, against the checked-in table, on a real server (T-12)."""

from __future__ import annotations

import json
import re
from collections.abc import Callable, Iterator
from contextlib import ExitStack
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


Visit = Callable[..., httpx.Client]


@pytest.fixture
def visit(embedded_server) -> Iterator[Visit]:
    """`visit(link)` is the browser of whoever the one-time link signs in; `visit()` is nobody's."""
    with ExitStack() as opened:

        def start(link: str = "", **headers: str) -> httpx.Client:
            client = httpx.Client(
                base_url=embedded_server.url, trust_env=False, verify=False, follow_redirects=True, headers=headers
            )
            opened.enter_context(client)
            return _signed_in(client, link) if link else client

        yield start


def test_every_socket_stands_in_the_table():
    assert {pattern.pattern.regex.pattern.strip("^$") for pattern in websocket_urlpatterns} == SOCKETS.keys()


@pytest.mark.parametrize("pattern", SOCKETS)
def test_a_socket_opens_to_whom_the_table_says(pattern: str, embedded_server, visit: Visit):
    demo = embedded_server.demo()
    room, token = demo["rooms"][0]["id"], demo["agents"][0]["token"]
    people = {who: visit(link) for who, link in _links(embedded_server, demo).items()}
    knocks = {
        "nobody": _opens(visit(), pattern, room),
        "agent": _opens(visit(Authorization=f"Bearer {token}"), pattern, room),
        **{who: _opens(people[who], pattern, room) for who in ("outsider", "staff", "member", "admin")},
        "no ticket": _opens(people["member"], pattern, room, ticket=""),
        "foreign page": _opens(people["member"], pattern, room, origin="http://127.0.0.1:1"),
    }
    expected = dict(zip(KNOCKERS, SOCKETS[pattern].split(), strict=True))
    assert knocks == expected


def test_a_ticket_opens_its_own_room_in_its_own_session_only(embedded_server, visit: Visit):
    demo = embedded_server.demo()
    pattern, room = next(iter(SOCKETS)), demo["rooms"][0]["id"]
    links = _links(embedded_server, demo)
    admin, member = (visit(links[who]) for who in ("admin", "member"))
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
