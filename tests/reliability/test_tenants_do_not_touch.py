"""Whatever another tenant does, one's own answers are the same to the byte as if it did nothing (T-12, I-22).

`DIFFERENTIAL_HISTORIES` says how many histories; a failure names the seed of its own.
"""

from __future__ import annotations

import os
import random
from collections.abc import Iterator

import pytest

from agentroom.core.contract import registry
from agentroom.core.ids import plate, ulid
from tests.clients import Answer, undone
from tests.reliability.tenants import Life, Plain, Tenant

HISTORIES = int(os.environ.get("DIFFERENTIAL_HISTORIES", "2"))
STEPS = 12
SEED = int(os.environ.get("SEED", "0")) or random.SystemRandom().randrange(1, 10**6)


@pytest.mark.django_db
@pytest.mark.parametrize("number", range(HISTORIES))
def test_what_a_stranger_does_changes_no_byte_of_what_a_tenant_sees(number, record_property):
    seed = f"{SEED}-{number}"
    with undone():
        alone = list(_answers(seed, with_a_stranger=False))
    with undone():
        beside = list(_answers(seed, with_a_stranger=True))
    record_property("compared answers", len(alone))
    assert len(alone) == len(beside)
    for mine, theirs in zip(alone, beside, strict=True):
        assert mine == theirs, f"SEED={SEED}, history {number}"


def _answers(seed: str, *, with_a_stranger: bool) -> Iterator[str]:
    # Both are there in both histories; in one of them the stranger is also at work.
    tenant, stranger = Tenant.called("ada"), Tenant.called("mallory")
    life, other, plain = Life(tenant, seed), Life(stranger, f"stranger {seed}"), Plain()
    for _ in range(STEPS):
        if with_a_stranger:
            other.act()
            _require_nothing_of(tenant, stranger, random.Random(f"prying {seed}"))
        yield plain(life.act())
        for seen in life.looks():
            yield plain(seen)


def _require_nothing_of(tenant: Tenant, stranger: Tenant, chance: random.Random) -> None:
    """The stranger tries each tool on the tenant's records: it is told what it would be told of no record at all."""
    tenants = {"room": tenant.room.pk, "plate": tenant.agents[0].plate}
    tenants |= {kind: ids[-1] for kind, ids in tenant.known.items() if ids}
    nobodys = {kind: plate() if kind == "plate" else ulid() for kind in tenants}
    client = chance.choice(stranger.clients)
    for tool in ("read_room", "read_board", "get_room_context", "send_message", "claim_task", "complete_task",
                 "update_task", "ack_mentions", "list_members", "search_room", "create_task"):  # fmt: skip
        assert registry.get(tool) is not None
        answers = [client.call(tool, **_naming(tool, ids, stranger)) for ids in (tenants, nobodys)]
        assert _without(answers[0], tenants) == _without(answers[1], nobodys), tool
        assert not answers[0].ok or tool == "ack_mentions", (tool, answers[0].data)


def _naming(tool: str, ids: dict[str, str], stranger: Tenant) -> dict[str, object]:
    room, task = ids["room"], ids.get("task", ulid())
    return {
        "send_message": {"room": stranger.room.pk, "body": "B", "mention_targets": [{"plate": ids["plate"]}]},
        "claim_task": {"task_id": task},
        "complete_task": {"task_id": task, "status": "done", "summary": "S", "handoff_notes": "N"},
        "update_task": {"task_id": task, "title": "Mine"},
        "ack_mentions": {"mention_ids": [ids.get("mention", ulid())]},
        "search_room": {"room": room, "query": "tar"},
        "create_task": {"room": stranger.room.pk, "title": "T", "definition_of_done": "D", "assignee": ids["plate"]},
    }.get(tool, {"room": room})


def _without(answer: Answer, ids: dict[str, str]) -> str:
    """The answer without the id that was asked for and those of the call itself."""
    text = Plain()(Answer(answer.status, {}, {}, {}, answer.raw))
    for one in ids.values():
        assert one not in text
    return text
