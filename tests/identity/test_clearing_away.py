"""The clean-up takes what ended more than a day ago, and nothing that still counts."""

from __future__ import annotations

from datetime import timedelta

import pytest
from allauth.usersessions.models import UserSession
from django.contrib.sessions.models import Session

from agentroom.core.clock import shifted
from agentroom.core.limits import SESSION_LIFE
from identity.actors import SystemActor
from identity.jobs import clear_away_all
from identity.models import SignInLink
from identity.operations import upkeep
from identity.operations.signin import make_sign_in_link, use_sign_in_link
from identity.sessions import signed_in as session_of
from tests.factories import make_owner, signed_in

pytestmark = pytest.mark.django_db
SYSTEM = SystemActor()


def test_a_session_goes_a_day_after_its_longest_life():
    actor = signed_in(make_owner("ada"))
    with shifted(SESSION_LIFE):
        clear_away_all()
    assert session_of(actor.session_key) is not None
    with shifted(SESSION_LIFE + timedelta(days=1, minutes=1)):
        clear_away_all()
    assert not Session.objects.exists()
    assert not UserSession.objects.exists()


def test_a_line_of_the_session_list_goes_when_its_session_is_gone():
    gone, here = signed_in(make_owner("ada")), signed_in(make_owner("grace"))
    Session.objects.filter(pk=gone.session_key).delete()
    with shifted(timedelta(days=1, minutes=1)):
        clear_away_all()
    assert list(UserSession.objects.values_list("session_key", flat=True)) == [here.session_key]


def test_links_go_a_day_after_they_are_used_or_ended_and_lasting_ones_stay():
    ada = make_owner("ada")
    used = make_sign_in_link(SYSTEM, owner_id=ada.pk, lifetime=None)
    use_sign_in_link(SYSTEM, token=used.token)
    make_sign_in_link(SYSTEM, owner_id=ada.pk)
    lasting = make_sign_in_link(SYSTEM, owner_id=ada.pk, lifetime=None)
    clear_away_all()
    assert SignInLink.objects.count() == 3
    with shifted(timedelta(days=2)):
        clear_away_all()
        assert use_sign_in_link(SYSTEM, token=lasting.token).owner_id == ada.pk
    assert SignInLink.objects.count() == 1


def test_a_large_pile_is_taken_in_bounded_steps(monkeypatch: pytest.MonkeyPatch):
    monkeypatch.setattr(upkeep, "AT_ONCE", 2)
    ada = make_owner("ada")
    for _ in range(5):
        make_sign_in_link(SYSTEM, owner_id=ada.pk)
    with shifted(timedelta(days=2)):
        assert upkeep.clear_away(SYSTEM).cleared == 2
        clear_away_all()
    assert not SignInLink.objects.exists()
