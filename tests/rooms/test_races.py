"""Real threads on the real database: one winner, no gap, no double."""

from __future__ import annotations

import threading
from collections.abc import Callable, Iterator
from concurrent.futures import ThreadPoolExecutor

import pytest
from django.db import connections

from agentroom.core.errors import Conflict, PublicError
from rooms.inputs import MentionTarget
from rooms.models import AgentMember, Invite, Member, Mention, Message, Room
from rooms.operations.invites import accept_invite, invite
from rooms.operations.members import leave_room, set_role
from rooms.operations.mentions import ack_mentions
from rooms.operations.messages import send_message
from rooms.operations.rooms import edit_focus
from tests import factories

pytestmark = pytest.mark.django_db(transaction=True)

THREADS = 6


@pytest.fixture
def scene(transactional_db: None) -> Iterator[tuple[Room, list, list]]:
    """A room of two admins with their agents, committed."""
    ada, grace = factories.make_owner("ada"), factories.make_owner("grace")
    room = factories.make_room(admin=ada)
    factories.make_member(room, grace, role="admin")
    agents = [factories.make_agent(ada, "scout"), factories.make_agent(grace, "quill")]
    for agent in agents:
        factories.make_member(room, agent)
    yield room, [ada, grace], agents


def at_once(*calls: Callable[[], object]) -> list[object]:
    """Run the calls at the same moment; each result, or the error it raised."""
    gate = threading.Barrier(len(calls))

    def run(call: Callable[[], object]) -> object:
        gate.wait()
        try:
            return call()
        except PublicError as error:
            return error
        finally:
            connections.close_all()

    with ThreadPoolExecutor(len(calls)) as pool:
        return list(pool.map(run, calls))


def test_messages_sent_at_once_are_numbered_without_gaps(scene):
    room, _, agents = scene
    actors = [factories.actor_of(agent) for agent in agents]

    def talk(actor, target):
        return lambda: [
            send_message(actor, room=room.pk, body=f"m{number}", mention_targets=[MentionTarget(plate=target.plate)])
            for number in range(8)
        ]

    pairs = [(actors[number % 2], agents[1 - number % 2]) for number in range(THREADS)]
    at_once(*(talk(actor, target) for actor, target in pairs))

    seqs = list(Message.objects.order_by("seq").values_list("seq", flat=True))
    assert seqs == list(range(1, 8 * THREADS + 1))
    for agent in agents:
        numbers = list(Mention.objects.filter(agent=agent).order_by("seq").values_list("seq", flat=True))
        assert numbers == list(range(1, 4 * THREADS + 1))
        assert AgentMember.objects.get(agent=agent).mention_seq == len(numbers)


def test_one_key_sent_at_once_makes_one_message_and_one_answer(scene):
    room, _, agents = scene
    actor = factories.actor_of(agents[0])
    once = {"room": room.pk, "body": "Once", "mention_targets": ["@quill"], "idempotency_key": "k"}
    answers = at_once(*[lambda: send_message(actor, **once).wire()] * THREADS)

    assert (Message.objects.count(), Mention.objects.count()) == (1, 1)
    assert all(answer == answers[0] for answer in answers)


def test_one_invite_accepted_at_once_lets_one_person_in(scene):
    room, [ada, _], _ = scene
    token = invite(factories.human_of(ada), room=room.pk, kind="human_link").token
    people = [factories.human_of(factories.make_owner(f"guest{number}")) for number in range(THREADS)]
    answers = at_once(*[lambda person=person: accept_invite(person, token=token) for person in people])

    assert sum(isinstance(answer, Conflict) for answer in answers) == THREADS - 1
    assert Member.objects.filter(room=room).count() == 3
    assert Invite.objects.get().accepted_by_id in {person.owner_id for person in people}


def test_two_admins_leaving_at_once_leave_one(scene):
    room, [ada, grace], _ = scene
    answers = at_once(
        lambda: leave_room(factories.human_of(ada), room=room.pk),
        lambda: set_role(factories.human_of(grace), room=room.pk, owner_id=grace.pk, role="member"),
    )
    assert sum(isinstance(answer, Conflict) for answer in answers) == 1
    assert Member.objects.filter(room=room, role="admin", left_at=None).count() == 1


def test_of_edits_made_at_once_one_is_kept(scene):
    room, [ada, grace], _ = scene
    answers = at_once(
        *[
            lambda who=who: edit_focus(
                factories.human_of(who), room=room.pk, objective=f"of {who.name}", expected_revision=1
            )
            for who in (ada, grace)
        ]
    )
    assert sorted(type(answer).__name__ for answer in answers) == ["FocusState", "Overtaken"]


def test_acknowledging_one_set_at_once_in_any_order_never_fails(scene):
    room, _, [scout, quill] = scene
    ids = [
        send_message(factories.actor_of(scout), room=room.pk, body="Hi", mention_targets=["@quill"]).deliveries[0]
        for _ in range(10)
    ]
    ids = [delivery.mention_id for delivery in ids]
    actor = factories.actor_of(quill)
    orders = [ids, ids[::-1], ids[5:] + ids[:5], ids[::2] + ids[1::2]]
    answers = at_once(*[lambda order=order: ack_mentions(actor, mention_ids=order).acked for order in orders])

    assert answers == orders
    assert not Mention.objects.filter(acked_at=None).exists()
