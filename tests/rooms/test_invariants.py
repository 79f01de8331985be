"""The audit of the whole database finds each kind of damage, and nothing where there is none."""

from __future__ import annotations

import pytest
from django.core.management import CommandError, call_command
from django.db import transaction

from agentroom.core import invariants
from rooms.models import AgentMember, Member, Message, Notebook, Room
from rooms.operations.messages import send_message
from tests import factories

pytestmark = pytest.mark.damages


@pytest.fixture
def talked(harbour, scout):
    for number in range(3):
        send_message(factories.actor_of(scout), room=harbour.pk, body=f"m{number}", mention_targets=["@quill"])
    return harbour


def found() -> set[str]:
    return {name.split()[0] for name, _ in invariants.findings()}


def test_a_room_that_only_talked_is_clean(talked, capsys):
    call_command("audit_invariants")
    assert "0 findings" in capsys.readouterr().out


def test_pruning_from_the_oldest_is_no_damage(talked):
    Message.objects.filter(seq=1).delete()
    assert found() == set()


@pytest.mark.parametrize(
    ("damage", "rule"),
    [
        (lambda room: Message.objects.filter(seq=2).delete(), "I-10"),
        (lambda room: Message.objects.filter(seq=3).delete(), "I-10"),
        (lambda room: Room.objects.update(message_seq=9), "I-10"),
        (lambda room: Message.objects.filter(seq=2).update(targets=[]), "I-13"),
        (lambda room: Message.objects.filter(seq=2).update(targets=[{"plate": "other"}]), "I-13"),
        (lambda room: Room.objects.update(audit_seq=2), "I-39"),
        (lambda room: Room.objects.update(audit_head="0" * 64), "I-39"),
        (lambda room: AgentMember.objects.update(mention_seq=0), "F1"),
        (lambda room: Room.objects.update(context_classes={"room": 99}), "F1"),
        (lambda room: Notebook.objects.all().delete(), "rooms"),
        (lambda room: Member.objects.update(role="member"), "rooms"),
    ],
)
def test_damage_is_found_and_named(talked, damage, rule):
    damage(talked)
    assert found() == {rule}


def test_the_command_prints_the_findings_and_fails(talked, capsys):
    with transaction.atomic():
        Message.objects.filter(seq=2).delete()
    with pytest.raises(CommandError, match="1 findings") as failed:
        call_command("audit_invariants")
    assert failed.value.returncode == 1
    assert talked.pk in capsys.readouterr().out
