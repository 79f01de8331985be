"""The life of a room's socket on a real server: what it says, and what ends it."""

from __future__ import annotations

import json
import re
from collections.abc import Callable, Iterator
from contextlib import ExitStack, closing
from typing import Any

import httpx
import pytest
from websockets.exceptions import ConnectionClosed
from websockets.sync.client import ClientConnection, connect

from tests.services.processes import wait_for
from tests.services.redis import Redis
from tests.services.server import FullServer, Server

pytestmark = pytest.mark.real_server

HINT_BYTES = 120
WAIT = 20.0


class Viewer:
    """A person's session, with sockets of the demo's room."""

    def __init__(self, server: Server, demo: dict[str, Any], name: str) -> None:
        self.base = server.url
        self.room = demo["rooms"][0]["id"]
        self.http = httpx.Client(base_url=server.url, trust_env=False, timeout=30)
        self.agents = {agent["name"]: agent["token"] for agent in demo["agents"]}
        link = next(owner["sign_in_url"] for owner in demo["owners"] if owner["name"] == name)
        self.submit(link)

    def submit(self, page: str, path: str = "", **fields: str) -> httpx.Response:
        """Post a form of the page, with its token."""
        token = re.search(r'name="csrfmiddlewaretoken" value="([^"]+)"', self.http.get(page).text)
        data = {"csrfmiddlewaretoken": token[1] if token else "", **fields}
        return self.http.post(path or page, data=data, headers={"Origin": self.base})

    def socket(self) -> ClientConnection:
        ticket = self.http.get(f"/rooms/{self.room}/ticket").json()["ticket"]
        cookies = "; ".join(f"{name}={value}" for name, value in self.http.cookies.items())
        return connect(
            f"{self.base.replace('http', 'ws')}/ws/rooms/{self.room}?ticket={ticket}",
            origin=self.base,
            additional_headers={"Cookie": cookies},
            proxy=None,
        )


Come = Callable[..., Viewer]


@pytest.fixture(params=["embedded", "full"])
def come(request: pytest.FixtureRequest) -> Iterator[Come]:
    """`come("Ada")`: signed in before a server of either profile."""
    server = request.getfixturevalue(f"{request.param}_server")
    demo = server.demo("--force")
    with ExitStack() as opened:

        def arrive(name: str = "Ada") -> Viewer:
            viewer = Viewer(server, server.demo("--force") if name == "Ada again" else demo, name.split()[0])
            opened.callback(viewer.http.close)
            return viewer

        yield arrive


def call(viewer: Viewer, tool: str, **arguments: Any) -> dict[str, Any]:
    bearer = {"Authorization": f"Bearer {viewer.agents['scout']}"}
    answer = viewer.http.post(f"/v1/tools/{tool}", json=arguments, headers=bearer)
    assert answer.status_code == 200, answer.text
    return answer.json()


def heard(socket: ClientConnection, kind: str) -> dict[str, Any]:
    """The next frame of this kind; others may come before it."""
    while True:
        text = socket.recv(timeout=WAIT)
        frame = json.loads(text)
        assert len(text) <= HINT_BYTES
        assert frame.keys() == {"seq", "kind"}
        if frame["kind"] == kind:
            return frame


def closed_with(socket: ClientConnection) -> int:
    try:
        while True:
            socket.recv(timeout=WAIT)
    except ConnectionClosed as closed:
        return closed.rcvd.code if closed.rcvd else 0


def test_a_change_is_told_to_every_open_page_as_a_number_and_a_kind(come: Come):
    ada, grace = come("Ada"), come("Grace")
    with ada.socket() as one, grace.socket() as other:
        begin = [heard(socket, "hello")["seq"] for socket in (one, other)]
        call(ada, "send_message", room=ada.room, body="All hands")
        call(ada, "create_task", room=ada.room, title="Swab the deck", definition_of_done="It shines.")
        for socket, seq in zip((one, other), begin, strict=True):
            assert heard(socket, "task")["seq"] > seq


def test_a_page_that_hears_nothing_new_still_hears_that_it_is_live(come: Come):
    ada = come()
    with ada.socket() as socket:
        hello = heard(socket, "hello")
        assert heard(socket, "beat")["seq"] >= hello["seq"]


@pytest.mark.parametrize("come", ["embedded"], indirect=True)  # each process counts for itself
def test_one_session_opens_five_sockets_and_no_sixth(come: Come):
    ada = come()
    with ExitStack() as opened:
        for _ in range(5):
            heard(opened.enter_context(ada.socket()), "hello")
        with ada.socket() as sixth:
            assert closed_with(sixth) == 4429
        # A place that has become free is given again.
        opened.close()
        with ada.socket() as seventh:
            heard(seventh, "hello")


def test_a_page_that_talks_too_much_is_closed(come: Come):
    ada = come()
    with ada.socket() as socket:
        heard(socket, "hello")
        for _ in range(60):
            try:
                socket.send("x")
            except ConnectionClosed:
                break
        assert closed_with(socket) == 4408


def test_a_frame_over_its_size_closes_the_socket(come: Come):
    ada = come()
    with ada.socket() as socket:
        heard(socket, "hello")
        socket.send("x" * (64 * 1024 + 1))
        assert closed_with(socket) == 1009


def test_whoever_is_signed_out_elsewhere_hears_no_more(come: Come):
    here, there = come("Ada"), come("Ada again")
    with here.socket() as socket:
        heard(socket, "hello")
        assert there.submit("/account", "/account/sessions/others/end").status_code == 302
        assert closed_with(socket) == 4401


def test_whoever_is_removed_from_the_room_hears_no_more(come: Come):
    ada, grace = come("Ada"), come("Grace")
    members = f"/rooms/{ada.room}/members"
    with grace.socket() as socket:
        heard(socket, "hello")
        owner = re.search(rf"{members}/([0-9A-Z]{{26}})/removal", ada.http.get(members).text)
        assert ada.submit(members, f"{members}/{owner[1]}/removal").status_code == 302
        assert closed_with(socket) == 4403
    _bring_back(ada, grace, members)


def test_without_redis_a_page_still_hears_how_far_the_room_is_and_then_again_at_once(
    database_server: str, throwaway_redis: Redis
):
    server = FullServer(database_server, throwaway_redis.url, workers=1).start()
    try:
        ada = Viewer(server, server.demo("--force"), "Ada")
        with closing(ada.http), ada.socket() as socket:
            begin = heard(socket, "hello")["seq"]
            throwaway_redis.kill()
            call(ada, "create_task", room=ada.room, title="Bail", definition_of_done="Dry.")
            assert heard(socket, "beat")["seq"] >= begin
            with ada.socket() as late:
                assert heard(late, "hello")["seq"] > begin
            throwaway_redis.start()
            wait_for(lambda: _is_told(ada, socket))
    finally:
        server.stop()


def _is_told(ada: Viewer, socket: ClientConnection) -> bool:
    """Whether a message said now is told by a hint, rather than by the next beat."""
    call(ada, "send_message", room=ada.room, body="Is anybody there?")
    return bool(json.loads(socket.recv(timeout=WAIT))["kind"] == "message")


def _bring_back(ada: Viewer, grace: Viewer, members: str) -> None:
    """The server is shared with other tests: grace and quill are in the room again, with Trust on."""
    page = ada.submit(members, members.replace("/members", "/invites"), kind="human_link").text
    link = re.search(r"/invites/[\w-]+", page[page.index("invite-link") :])
    plates = re.findall(r'name="plates" value="([^"]+)"', grace.http.get(link[0]).text)
    assert grace.submit(link[0], plates=plates[0]).status_code == 302
    assert (
        grace.submit(members, members.replace("/members", "/trust"), on="1").headers["Location"] == f"/rooms/{ada.room}"
    )
