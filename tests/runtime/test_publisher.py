"""Hints through Redis: one loop, few connections, and a Redis that dies costs the caller nothing."""

from __future__ import annotations

import asyncio
from typing import Any

import pytest
from channels import layers
from channels.layers import get_channel_layer
from channels_redis.pubsub import RedisPubSubChannelLayer
from redis import Redis as Client
from redis.backoff import NoBackoff
from redis.retry import Retry

from agentroom.core import layer as module
from agentroom.core.layer import publish_group
from agentroom.core.publisher import Publisher
from tests.services.processes import wait_for

GROUP = "room.r1"


@pytest.fixture
def publisher(monkeypatch):
    fresh = Publisher()
    monkeypatch.setattr(module, "_publisher", fresh)
    yield fresh
    fresh.close()


def use(url: str) -> Any:
    host = {"address": url, "retry": Retry(NoBackoff(), 0), "socket_connect_timeout": 1}
    return layers.channel_layers.set("default", RedisPubSubChannelLayer(hosts=[host], prefix="tests:"))


@pytest.fixture
def through(throwaway_redis):
    before = use(throwaway_redis.url)
    yield throwaway_redis
    layers.channel_layers.set("default", before)


def hint(seq: int) -> dict[str, Any]:
    return {"type": "room.changed", "room_id": "r1", "kind": "message", "seq": seq}


async def heard(last: int, seqs: list[int]) -> int:
    """Listen, publish `seqs`, and give the newest seq once it is `last`."""
    layer = get_channel_layer()
    channel = await layer.new_channel()
    await layer.group_add(GROUP, channel)
    for seq in seqs:
        publish_group(GROUP, hint(seq))
    newest = 0
    while newest < last:
        newest = max(newest, (await asyncio.wait_for(layer.receive(channel), 30))["seq"])
    return newest


def test_hints_reach_a_socket_in_another_loop(through, publisher):
    assert asyncio.run(heard(500, list(range(1, 501)))) == 500


def test_hints_in_the_wrong_order_end_with_the_larger(through, publisher):
    assert asyncio.run(heard(9, [9, 8, 7])) == 9


def test_many_hints_open_few_connections(through, publisher):
    asyncio.run(heard(300, list(range(1, 301))))
    with Client.from_url(through.url) as client:
        assert client.info("stats")["total_connections_received"] < 30


def test_a_redis_that_is_gone_costs_hints_and_nothing_else_and_heals(through, publisher):
    asyncio.run(heard(1, [1]))
    through.kill()
    for seq in range(2, 50):
        publish_group(GROUP, hint(seq))
    wait_for(lambda: publisher.dropped > 0)
    through.start()
    wait_for(lambda: _reaches(publisher))


def _reaches(publisher: Publisher) -> bool:
    try:
        return asyncio.run(asyncio.wait_for(heard(99, [99]), 5)) == 99
    except (TimeoutError, ConnectionError):
        return False
