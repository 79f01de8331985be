"""The ten-minute rule, on a real signed-in session."""

from __future__ import annotations

from datetime import timedelta

import pytest
from django.contrib.sessions.models import Session
from django.test import Client

from agentroom.core.clock import shifted
from agentroom.core.errors import ReauthenticationRequired
from identity.actors import HumanActor
from identity.freshness import require_fresh
from identity.models import Owner

pytestmark = pytest.mark.django_db


def signed_in(owner: Owner) -> HumanActor:
    client = Client()
    client.force_login(owner)
    return HumanActor(owner_id=owner.pk, name=owner.name, handle=owner.handle, session_key=client.session.session_key)


def test_a_sign_in_counts_as_fresh_for_ten_minutes():
    actor = signed_in(Owner.objects.create_user("ada@example.org", name="Ada"))
    require_fresh(actor)
    with shifted(timedelta(minutes=9, seconds=50)):
        require_fresh(actor)
    with shifted(timedelta(minutes=10, seconds=1)), pytest.raises(ReauthenticationRequired):
        require_fresh(actor)


def test_a_session_ended_elsewhere_is_not_fresh():
    actor = signed_in(Owner.objects.create_user("ada@example.org", name="Ada"))
    Session.objects.filter(pk=actor.session_key).delete()
    with pytest.raises(ReauthenticationRequired):
        require_fresh(actor)
