"""What a call costs in statements, which no busy machine can blur: a floor under the promises of speed."""

from __future__ import annotations

import pytest

from agentroom.gateway import dispatch
from rooms.operations.messages import send_message
from tests import factories
from tests.contract import world

# tool: (arguments, most statements)
READS = {
    "whoami": ({}, 1),
    "list_rooms": ({}, 2),
    "read_room": ({"room": ...}, 4),
    "check_mentions": ({"room": ...}, 4),
    "list_members": ({"room": ...}, 7),
    "list_instances": ({"room": ...}, 7),
    "read_board": ({"room": ...}, 4),
    "get_room_context": ({"room": ...}, 14),
    "search_room": ({"room": ..., "query": "hull"}, 7),
}


@pytest.fixture
def cost(cast, counting_queries, settings):
    settings.RATE_LIMITS_ENABLED = False
    actor = factories.actor_of(cast.scout)

    def of(tool, arguments):
        filled = {name: cast.harbour.pk if value is ... else value for name, value in arguments.items()}
        dispatch.call(actor, tool, filled, request_id="req_1")  # presence is noted, caches are warm
        with counting_queries() as statements:
            reply = dispatch.call(actor, tool, filled, request_id="req_2")
        assert reply.ok, reply.data
        return [statement["sql"] for statement in statements.captured_queries]

    return of


def fill(cast, count):
    speaker = factories.actor_of(cast.forge)
    for number in range(count):
        send_message(speaker, room=cast.harbour.pk, body=f"Hull {number}", mention_targets=["@scout(ada)"])
        agent = factories.make_agent(cast.grace, f"hand {number} of {count}")
        factories.make_member(cast.harbour, agent)
        task = factories.make_task(cast.harbour, f"Hull {number}", creator=cast.ada, assignee=cast.scout)
        factories.make_task(cast.harbour, "Next", creator=cast.ada, assignee=agent, depends_on=[task])
        room = factories.make_room(f"Room {number} of {count}", admin=cast.ada)
        factories.make_member(room, cast.scout)


@pytest.mark.parametrize("tool", READS)
def test_a_read_takes_few_statements(tool, cast, cost):
    arguments, most = READS[tool]
    fill(cast, 6)
    statements = cost(tool, arguments)
    assert len(statements) <= most, "\n".join(statements)


# A search reads on, a bounded number of times, until its page is full.
@pytest.mark.parametrize("tool", sorted(READS.keys() - {"search_room"}))
def test_a_read_takes_as_many_statements_however_much_there_is(tool, cast, cost):
    arguments, _ = READS[tool]
    fill(cast, 2)
    few = cost(tool, arguments)
    fill(cast, 12)
    many = cost(tool, arguments)
    assert len(many) == len(few), "\n".join(many)


@pytest.mark.parametrize("door", ["mcp", "rest"])
def test_a_door_adds_one_statement_to_a_call(door, cast, counting_queries):
    """The credential, its agent and owner, the default instance and the size of the inbox: all in one read."""
    client = world.client(door, factories.token_for(cast.scout))
    client.call("whoami")
    with counting_queries() as statements:
        assert client.call("whoami").ok
    assert len(statements) <= 1 + READS["whoami"][1], [statement["sql"] for statement in statements.captured_queries]
