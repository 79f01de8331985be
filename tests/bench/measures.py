"""What is measured: a request stream, the floor it is compared with and the first target (performance.md 2)."""

from __future__ import annotations

import itertools
import random
import uuid
from collections.abc import Callable, Iterator
from dataclasses import dataclass
from typing import Any

from tests.bench import wire

DJ, BR, DJ_BOARD = "DJ", "BR", "DJ board"


@dataclass(frozen=True)
class Measure:
    """`stream(stock, host)` gives requests; every answer must hold `expect`.

    `first` is the least ratio to `floor`, or to the rate of the measure named `against` in the same run.
    """

    row: str
    name: str
    stream: Callable[[dict[str, Any], str], Iterator[bytes]]
    floor: str
    first: float
    expect: bytes
    clients: int = 16
    against: str = ""


class Supply:
    """Single-use stock (tasks to claim, tasks to complete), handed out once over the whole run."""

    def __init__(self, items: list[Any]) -> None:
        self._items = iter(items)

    def __iter__(self) -> Iterator[Any]:
        return self._items


def _agents(stock: dict[str, Any]) -> Iterator[dict[str, str]]:
    return itertools.cycle(stock["agents"])


def claims(call: Callable[..., bytes], door: str) -> Callable[[dict[str, Any], str], Iterator[bytes]]:
    def stream(stock: dict[str, Any], host: str) -> Iterator[bytes]:
        for agent, task in zip(_agents(stock), stock["claim_supply"], strict=False):
            yield call(host, agent[door], "claim_task", {"task_id": task})

    return stream


def lost_claims(stock: dict[str, Any], host: str) -> Iterator[bytes]:
    loser = stock["agents"][0]
    for task in itertools.cycle(stock["held"]):
        yield wire.mcp_call(host, loser["mcp"], "claim_task", {"task_id": task})


def unchanged(tool: str) -> Callable[[dict[str, Any], str], Iterator[bytes]]:
    def stream(stock: dict[str, Any], host: str) -> Iterator[bytes]:
        version = stock["versions"][tool]
        for agent in _agents(stock):
            yield wire.mcp_call(host, agent["mcp"], tool, {"room": stock["board"], "since_version": version})

    return stream


def boards(stock: dict[str, Any], host: str) -> Iterator[bytes]:
    for agent in _agents(stock):
        yield wire.mcp_call(host, agent["mcp"], "read_board", {"room": stock["board"]})


def messages(call: Callable[..., bytes], door: str, *, one_room: bool) -> Callable[..., Iterator[bytes]]:
    def stream(stock: dict[str, Any], host: str) -> Iterator[bytes]:
        rooms = stock["rooms"][:1] if one_room else stock["rooms"]
        agents = stock["agents"]
        for number, room in enumerate(itertools.cycle(rooms)):
            author, target = agents[number % len(agents)], agents[(number + 1) % len(agents)]
            body = {
                "room": room,
                "body": f"Message {uuid.uuid4()}",
                "mention_targets": [{"plate": target["plate"]}],
            }
            yield call(host, author[door], "send_message", body)

    return stream


def completions(stock: dict[str, Any], host: str) -> Iterator[bytes]:
    for item in stock["completion_supply"]:
        arguments = {
            "task_id": item["task"],
            "status": "done",
            "summary": "Measured",
            "handoff_notes": "Everything is measured. Go on.",
        }
        yield wire.mcp_call(host, stock["agents"][item["agent"]]["mcp"], "complete_task", arguments)


def room_pages(stock: dict[str, Any], host: str) -> Iterator[bytes]:
    for cookie in itertools.cycle(stock["sessions"]):
        yield wire.get(host, f"/rooms/{stock['board']}", {"Cookie": cookie})


def _inboxes(stock: dict[str, Any], host: str) -> Iterator[bytes]:
    for agent in _agents(stock):
        yield wire.mcp_call(host, agent["mcp"], "check_mentions", {})


def _renewals(stock: dict[str, Any], host: str) -> Iterator[bytes]:
    holder = stock["agents"][0]
    for task in itertools.cycle(stock["held"]):
        yield wire.mcp_call(host, holder["mcp"], "renew_lease", {"task_id": task})


def _deltas(stock: dict[str, Any], host: str) -> Iterator[bytes]:
    for number, agent in enumerate(_agents(stock)):
        room = stock["rooms"][number % len(stock["rooms"])]
        yield wire.mcp_call(host, agent["mcp"], "get_room_context", {"room": room, "since_version": 1})


def working_room(stock: dict[str, Any], host: str) -> Iterator[bytes]:
    """The mix of performance.md 4, but for files, in an order that every run repeats."""
    streams = {
        unchanged("get_room_context"): 40,
        _deltas: 8,
        messages(wire.mcp_call, "mcp", one_room=False): 16,
        _inboxes: 6,
        unchanged("read_board"): 5,
        boards: 5,
        claims(wire.mcp_call, "mcp"): 5,
        lost_claims: 1,
        _renewals: 6,
        completions: 4,
    }
    hand = [iterator for make, times in streams.items() for iterator in [make(stock, host)] * times]
    random.Random(16).shuffle(hand)
    for iterator in itertools.cycle(hand):
        request = next(iterator, None)
        if request is not None:
            yield request


MEASURES = (
    Measure("1", "claim_task", claims(wire.mcp_call, "mcp"), DJ, 1.0, b'"claimed":true'),
    Measure("1", "claim_task, 1 client", claims(wire.mcp_call, "mcp"), DJ, 0.0, b'"claimed":true', clients=1),
    Measure("2", "losing claim", lost_claims, DJ, 1.3, b'"claimed":false', against="claim_task"),
    Measure("3", "get_room_context not modified", unchanged("get_room_context"), DJ, 2.0, b'"not_modified":true'),
    Measure("3", "read_board not modified", unchanged("read_board"), DJ, 2.0, b'"not_modified":true'),
    Measure("4", "send_message, many rooms", messages(wire.mcp_call, "mcp", one_room=False), DJ, 0.8, b'"seq":'),
    Measure("5", "send_message, one room", messages(wire.mcp_call, "mcp", one_room=True), DJ, 0.5, b'"seq":'),
    Measure("6", "read_board, 200 open tasks", boards, DJ_BOARD, 0.8, b'"board_version":'),
    Measure("7", "complete_task unblocking two", completions, DJ, 0.5, b'"unblocked":'),
    Measure("14", "room page, 200 tasks, 1 client", room_pages, DJ_BOARD, 0.0, b"</html>", clients=1),
    Measure("16", "a working room", working_room, DJ, 0.0, b'"isError":false'),
    Measure(
        "9", "claim_task over REST", claims(wire.rest_call, "v1"), DJ, 0.5, b'"claimed":true', against="claim_task"
    ),
    Measure(
        "9",
        "send_message over REST",
        messages(wire.rest_call, "v1", one_room=False),
        DJ,
        0.5,
        b'"seq":',
        against="send_message, many rooms",
    ),
)
FLOOR_PATHS = {DJ: "/update", BR: "/bare/read", DJ_BOARD: "/board"}
