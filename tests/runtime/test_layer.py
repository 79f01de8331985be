"""The embedded channel layer: hints from any thread arrive, and two of a kind are one, with the larger seq."""

from __future__ import annotations

import asyncio
import threading
from collections.abc import Callable
from typing import Any

import pytest
from channels import layers

from agentroom.core.layer import EmbeddedLayer, publish_group

SENDERS, EACH, RECEIVERS = 4, 200, 20


def hint(seq: int, kind: str = "message") -> dict[str, Any]:
    return {"type": "room.changed", "room_id": "r1", "kind": kind, "seq": seq}


async def joined(layer: EmbeddedLayer, group: str = "room.r1") -> str:
    channel = await layer.new_channel()
    await layer.group_add(group, channel)
    return channel


async def waiting(layer: EmbeddedLayer, channel: str) -> list[dict[str, Any]]:
    """Everything that lies ready for this channel."""
    await asyncio.sleep(0)
    queue = layer.channels.get(channel)
    return [await layer.receive(channel) for _ in range(queue.qsize() if queue else 0)]


def test_hints_from_many_threads_reach_every_socket_up_to_the_last():
    async def scenario() -> list[int]:
        layer = EmbeddedLayer()
        channels = [await joined(layer) for _ in range(RECEIVERS)]
        last = SENDERS * EACH
        readers = [asyncio.create_task(_read_until(layer, channel, last)) for channel in channels]
        seqs = iter(range(1, last + 1))
        lock = threading.Lock()

        def send() -> None:
            for _ in range(EACH):
                with lock:
                    seq = next(seqs)
                layer.publish("room.r1", hint(seq))

        threads = [threading.Thread(target=send) for _ in range(SENDERS)]
        for thread in threads:
            thread.start()
        return await asyncio.wait_for(asyncio.gather(*readers), 30)

    assert asyncio.run(scenario()) == [SENDERS * EACH] * RECEIVERS


async def _read_until(layer: EmbeddedLayer, channel: str, last: int) -> int:
    newest = 0
    while newest < last:
        newest = max(newest, (await layer.receive(channel))["seq"])
    return newest


@pytest.mark.parametrize("order", [(4, 5), (5, 4)])
def test_two_waiting_hints_of_a_kind_are_one_with_the_larger_seq(order):
    async def scenario() -> list[dict[str, Any]]:
        layer = EmbeddedLayer()
        channel = await joined(layer)
        for seq in order:
            await layer.group_send("room.r1", hint(seq))
        return await waiting(layer, channel)

    assert asyncio.run(scenario()) == [hint(5)]


def test_hints_of_different_kinds_and_rooms_stay_apart():
    async def scenario() -> list[dict[str, Any]]:
        layer = EmbeddedLayer()
        channel = await joined(layer)
        await layer.group_add("room.r2", channel)
        await layer.group_send("room.r1", hint(1))
        await layer.group_send("room.r1", hint(2, "task"))
        await layer.group_send("room.r2", hint(3))
        return await waiting(layer, channel)

    assert [message["seq"] for message in asyncio.run(scenario())] == [1, 2, 3]


def test_a_hint_after_one_was_read_is_a_new_hint():
    async def scenario() -> list[int]:
        layer = EmbeddedLayer()
        channel = await joined(layer)
        await layer.group_send("room.r1", hint(1))
        first = await layer.receive(channel)
        await layer.group_send("room.r1", hint(2))
        return [first["seq"], (await layer.receive(channel))["seq"]]

    assert asyncio.run(scenario()) == [1, 2]


def test_messages_without_a_seq_are_never_merged():
    async def scenario() -> list[dict[str, Any]]:
        layer = EmbeddedLayer()
        channel = await joined(layer)
        for who in ("ada", "grace"):
            await layer.group_send("room.r1", {"type": "session.ended", "who": who})
        return await waiting(layer, channel)

    assert [message["who"] for message in asyncio.run(scenario())] == ["ada", "grace"]


def test_a_socket_that_reads_nothing_holds_a_bounded_number_of_messages():
    async def scenario() -> tuple[int, int]:
        layer = EmbeddedLayer(capacity=10)
        channel = await joined(layer)
        for number in range(15):
            await layer.group_send("room.r1", {"type": "session.ended", "number": number})
        return len(await waiting(layer, channel)), layer.dropped

    assert asyncio.run(scenario()) == (10, 5)


def test_a_socket_that_ends_leaves_nothing_behind():
    async def scenario() -> EmbeddedLayer:
        layer = EmbeddedLayer()
        channel = await joined(layer)
        reader = asyncio.create_task(layer.receive(channel))
        await asyncio.sleep(0)
        reader.cancel()
        await asyncio.gather(reader, return_exceptions=True)
        await layer.group_send("room.r1", hint(1))
        return layer

    layer = asyncio.run(scenario())
    assert not layer.channels
    assert not any(layer.groups.values())
    assert not layer._waiting


def test_a_sender_changing_its_message_afterwards_changes_nothing_on_the_way():
    async def scenario() -> dict[str, Any]:
        layer = EmbeddedLayer()
        channel = await joined(layer)
        message = hint(1)
        await layer.group_send("room.r1", message)
        message["seq"] = 99
        return await layer.receive(channel)

    assert asyncio.run(scenario())["seq"] == 1


@pytest.fixture
def layer_in_place() -> Callable[[Any], None]:
    before = layers.channel_layers.set("default", None)

    def place(layer: Any) -> None:
        layers.channel_layers.set("default", layer)

    yield place
    layers.channel_layers.set("default", before)


def test_publishing_where_no_server_runs_does_nothing(layer_in_place):
    layer_in_place(EmbeddedLayer())
    publish_group("room.r1", hint(1))


def test_publishing_after_the_servers_loop_has_closed_does_nothing(layer_in_place):
    layer = EmbeddedLayer()
    asyncio.run(joined(layer))
    layer_in_place(layer)
    publish_group("room.r1", hint(1))


def test_publishing_never_raises_whatever_it_is_given(layer_in_place, caplog):
    layer_in_place(EmbeddedLayer())
    publish_group("not a group name", hint(1))
    assert "could not be handed over" in caplog.text
