"""The ten-minute rule, on a real signed-in session."""

from __future__ import annotations

from datetime import timedelta

import pytest
from django.contrib.sessions.backends.db import SessionStore
from django.contrib.sessions.models import Session

from agentroom.core.clock import shifted
from agentroom.core.errors import ReauthenticationRequired
from identity.freshness import require_fresh
from identity.models import Owner
from identity.operations.signin import Device, renew_verification
from tests.factories import human_of, make_owner, signed_in

pytestmark = pytest.mark.django_db


def test_a_sign_in_counts_as_fresh_for_ten_minutes():
    actor = signed_in(make_owner("ada"))
    require_fresh(actor)
    with shifted(timedelta(minutes=9, seconds=50)):
        require_fresh(actor)
    with shifted(timedelta(minutes=10, seconds=1)), pytest.raises(ReauthenticationRequired):
        require_fresh(actor)


def test_a_session_ended_elsewhere_is_not_fresh():
    actor = signed_in(make_owner("ada"))
    Session.objects.filter(pk=actor.session_key).delete()
    with pytest.raises(ReauthenticationRequired):
        require_fresh(actor)


def test_verifying_again_makes_an_old_session_fresh_and_gives_it_a_new_id():
    actor = signed_in(make_owner("ada"))
    with shifted(timedelta(hours=1)):
        session = SessionStore(actor.session_key)
        renew_verification(actor, session=session, method="password", device=Device("127.0.0.1", "Tests"))
        require_fresh(human_of(Owner.objects.get(), session_key=session.session_key))
        assert session.session_key != actor.session_key
        assert not Session.objects.filter(pk=actor.session_key).exists()


def test_the_session_of_someone_else_is_not_fresh():
    ada, grace = make_owner("ada"), make_owner("grace")
    with pytest.raises(ReauthenticationRequired):
        require_fresh(human_of(ada, session_key=signed_in(grace).session_key))


@pytest.mark.parametrize("key", ["", "x" * 32])
def test_without_a_session_nobody_is_fresh(key: str):
    with pytest.raises(ReauthenticationRequired):
        require_fresh(human_of(make_owner("ada"), session_key=key))


def test_changing_the_password_elsewhere_ends_the_session_for_the_rule():
    owner = make_owner("ada")
    actor = signed_in(owner)
    owner.set_password("another long sentence")
    owner.save()
    with pytest.raises(ReauthenticationRequired):
        require_fresh(actor)
