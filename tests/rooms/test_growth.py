"""History must not cost: however long a room has talked, its calls read the same rows in as many statements."""

from __future__ import annotations

import json

import pytest
from django.db import connection
from django.test.utils import CaptureQueriesContext

from agentroom.core.clock import db_now, rfc3339
from agentroom.gateway import dispatch
from identity.authentication import authenticate, v1_resource
from identity.operations.instances import forget_presence
from rooms.inbox import COUNTED_MOST
from rooms.models import Mention, Message, Room
from tests import factories

HISTORY = 5000
CALLS = [
    ("list_rooms", {}),
    ("read_room", {}),
    ("read_room", {"before_seq": 2500}),
    ("read_room", {"since_seq": 2500}),
    ("check_mentions", {}),
    ("get_room_context", {}),
    ("list_members", {}),
    ("list_instances", {}),
    ("resolve_handle", {"handle": "@quill"}),
    ("send_message", {"body": "Hi", "mention_targets": ["@quill", "@forge"]}),
]


def _talk(cast, count: int) -> None:
    """`count` messages more, each with a mention of scout that was handled long ago."""
    now, first = db_now(), Room.objects.get(pk=cast.harbour.pk).message_seq
    messages = Message.objects.bulk_create(
        Message(
            room=cast.harbour,
            seq=first + number,
            agent=cast.quill,
            body="x" * 40,
            targets=[{"plate": cast.scout.plate}],
            created_at=now,
        )
        for number in range(1, count + 1)
    )
    Mention.objects.bulk_create(
        Mention(
            room=cast.harbour,
            source=f"msg:{message.pk}",
            seq=message.seq,
            message=message,
            agent=cast.scout,
            author_kind="agent",
            trust_level="untrusted",
            outcome="no_invoke",
            created_at=now,
            acked_at=now,
        )
        for message in messages
    )
    Room.objects.filter(pk=cast.harbour.pk).update(message_seq=first + count)
    cast.harbour.agent_members.filter(agent=cast.scout).update(mention_seq=first + count)
    with connection.cursor() as cursor:
        cursor.execute("ANALYZE")


def _statements(cast, tool: str, arguments: dict) -> list[str]:
    """The statements of one call, as scout makes it, presence noted before."""
    token = factories.token_for(cast.scout)
    where = {} if tool in {"list_rooms", "check_mentions"} else {"room": cast.harbour.pk}
    actor = authenticate(token, resource=v1_resource())
    dispatch.call(actor, "list_rooms", {}, request_id="r")
    with CaptureQueriesContext(connection) as queries:
        authenticate(token, resource=v1_resource())
        reply = dispatch.call(actor, tool, {**where, **arguments}, request_id="r")
    assert reply.ok, reply.data
    forget_presence()
    return [query["sql"] for query in queries.captured_queries]


@pytest.mark.parametrize(("tool", "arguments"), CALLS, ids=[f"{tool} {list(with_)}" for tool, with_ in CALLS])
def test_a_call_takes_as_many_statements_with_a_long_history_as_with_a_short(cast, tool, arguments):
    _talk(cast, 3000)
    short = len(_statements(cast, tool, arguments))
    _talk(cast, 300)
    assert len(_statements(cast, tool, arguments)) == short


def test_no_statement_of_a_call_reads_the_whole_history(cast):
    _talk(cast, HISTORY)
    for tool, arguments in CALLS:
        for statement in _statements(cast, tool, arguments):
            for table, how in _scans(statement):
                assert table not in {"rooms_message", "rooms_mention"}, f"{tool}: {how}\n{statement}"


def test_sending_to_more_targets_takes_no_more_round_trips(cast):
    few = _statements(cast, "send_message", {"body": "Hi", "mention_targets": [{"plate": cast.quill.plate}]})
    crew = [factories.make_agent(cast.ada, f"rower {number}") for number in range(20)]
    for agent in crew:
        factories.make_member(cast.harbour, agent)
    targets = [{"plate": agent.plate} for agent in crew]
    many = _statements(cast, "send_message", {"body": "Hi", "mention_targets": targets})
    assert len(_round_trips(many)) == len(_round_trips(few))


def test_an_abandoned_inbox_is_counted_to_a_thousand_and_no_further(cast, call):
    _talk(cast, COUNTED_MOST + 50)
    Mention.objects.update(acked_at=None)
    sent = call(cast.scout, "send_message", room=cast.harbour.pk, body="Back again")
    oldest = Mention.objects.order_by("seq").first().created_at
    assert sent["pending"] == {"mentions": COUNTED_MOST, "oldest": rfc3339(oldest)}
    actor = authenticate(factories.token_for(cast.scout), resource=v1_resource())
    assert actor.pending_mentions == COUNTED_MOST


def _round_trips(statements: list[str]) -> list[str]:
    """SQLite is in the process: there each inbox is counted up by a statement of its own."""
    return [sql for sql in statements if not sql.startswith('UPDATE "rooms_agentmember"')]


def _scans(statement: str) -> list[tuple[str, str]]:
    """(table, plan line) of every scan without an index in the plan of a statement."""
    if not statement.lstrip().upper().startswith(("SELECT", "UPDATE", "DELETE")):
        return []
    with connection.cursor() as cursor:
        if connection.vendor == "postgresql":
            cursor.execute(f"EXPLAIN (FORMAT JSON) {statement}")
            plan = cursor.fetchone()[0]
            return list(_sequential(json.loads(plan)[0]["Plan"] if isinstance(plan, str) else plan[0]["Plan"]))
        cursor.execute(f"EXPLAIN QUERY PLAN {statement}")
        lines = [row[3] for row in cursor.fetchall()]
    return [(line.split()[1], line) for line in lines if line.startswith("SCAN ") and "INDEX" not in line]


def _sequential(node: dict):
    if node["Node Type"] == "Seq Scan":
        yield node["Relation Name"], f"Seq Scan of {node['Relation Name']}, {node['Plan Rows']} rows"
    for child in node.get("Plans", []):
        yield from _sequential(child)
