"""`whoami` through both doors: the record's word on who calls, whatever the arguments claim."""

from __future__ import annotations

import pytest

from agentroom.core.clock import shifted
from agentroom.core.limits import SESSION_OF_CALLS
from agentroom.core.scopes import Scope
from identity.models import Agent
from tests.conftest import Connect

pytestmark = pytest.mark.django_db


def test_it_says_who_calls_and_what_waits(connect: Connect, quill: Agent):
    answer = connect(quill).call("whoami")
    assert {name: answer[name] for name in ("plate", "name", "owner", "verified", "scopes", "pending_mentions")} == {
        "plate": quill.plate,
        "name": "quill",
        "owner": "grace",
        "verified": True,
        "scopes": ["READ", "WRITE", "UPLOAD", "DOWNLOAD"],
        "pending_mentions": 0,
    }


def test_the_default_instance_and_session_are_those_of_the_credential(connect: Connect, quill: Agent):
    client = connect(quill)
    first, second = client.call("whoami"), client.call("whoami")
    credential = quill.credentials.get()
    assert first["instance_id"] == credential.pk
    assert first["session_id"] == second["session_id"]
    assert credential.pk not in first["session_id"]
    with shifted(SESSION_OF_CALLS):
        assert client.call("whoami")["session_id"] != first["session_id"]


def test_a_named_instance_has_a_session_of_its_own(connect: Connect, quill: Agent):
    client = connect(quill)
    named = client.call("whoami", instance_id="desk-2")
    assert named["instance_id"] == "desk-2"
    assert named["session_id"] != client.call("whoami")["session_id"]
    assert named["session_id"] == client.call("whoami", instance_id="desk-2")["session_id"]


@pytest.mark.parametrize("posing", ["name", "plate", "owner", "from", "author"])
def test_nobody_poses_as_another_by_an_argument(connect: Connect, quill: Agent, posing: str):
    answer = connect(quill).call("whoami", **{posing: "Human"})
    assert (answer.status, answer.code) == (400, "VALIDATION")
    assert posing in answer.error["fields"]


def test_it_needs_read(connect: Connect, quill: Agent):
    quill.scopes = int(Scope.WRITE)
    quill.save()
    assert connect(quill).call("whoami").code == "FORBIDDEN_SCOPE"
