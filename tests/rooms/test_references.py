"""`msg:<room>#<seq>`: how tasks cite a message."""

from __future__ import annotations

import pytest

from agentroom.core import refs
from agentroom.core.errors import Validation
from rooms.operations.messages import retract_message, send_message
from tests import factories


@pytest.fixture
def sent(harbour, scout):
    return send_message(factories.actor_of(scout), room=harbour.pk, body="Measured: 12 m")


def test_a_message_of_the_room_resolves_to_its_stored_form(sent, harbour):
    for text in (f"msg:{harbour.pk}#1", f"msg:{harbour.pk.lower()}#1", f"msg:{harbour.pk}#001"):
        assert refs.resolve(harbour.pk, text, field="artifacts") == f"msg:{harbour.pk}#1"


@pytest.mark.parametrize("rest", ["#2", "#0", "#-1", "#one", "#", "", "#1#1", "#" + "9" * 30, "#\u0661"])
def test_what_is_not_there_is_refused(sent, harbour, rest):
    with pytest.raises(Validation) as refused:
        refs.resolve(harbour.pk, f"msg:{harbour.pk}{rest}", field="artifacts")
    assert list(refused.value.fields) == ["artifacts"]


def test_a_message_of_another_room_is_not_readable_here(sent, harbour, ada):
    lagoon = factories.make_room("Lagoon", admin=ada)
    with pytest.raises(Validation):
        refs.resolve(lagoon.pk, f"msg:{harbour.pk}#1", field="artifacts")


def test_a_retracted_message_cannot_be_cited(sent, harbour, scout):
    retract_message(factories.actor_of(scout), room=harbour.pk, message_id=sent.message_id)
    with pytest.raises(Validation):
        refs.resolve(harbour.pk, f"msg:{harbour.pk}#1", field="artifacts")
