"""Sessions: listed, ended one by one or together, and ended by age and idleness."""

from __future__ import annotations

from datetime import timedelta

import pytest
from django.contrib.sessions.models import Session
from django.test import Client

from agentroom.core.clock import shifted
from agentroom.core.errors import NotFound, ReauthenticationRequired
from agentroom.core.limits import SESSION_IDLE, SESSION_LIFE, SESSION_SEEN_EVERY
from agentroom.core.models import AuditRow
from identity.models import Owner
from identity.operations.signin import end_all_sessions, end_other_sessions, end_session, sign_out
from identity.queries import sessions_of
from identity.sessions import session_id
from identity.sessions import signed_in as session_of
from tests.factories import human_of, make_owner, signed_in

pytestmark = pytest.mark.django_db
HOME = "/accounts/email/"  # a page that only a signed-in person gets


@pytest.fixture
def ada() -> Owner:
    return make_owner("ada")


def browser(owner: Owner) -> Client:
    client = Client()
    client.force_login(owner)
    return client


def is_in(client: Client) -> bool:
    return client.get(HOME).status_code == 200


def test_the_list_shows_each_place_with_the_present_one_first(ada: Owner):
    other, here = signed_in(ada), signed_in(ada)
    signed_in(make_owner("grace"))
    cards = sessions_of(here).sessions
    assert [(card.session_id, card.current) for card in cards] == [
        (session_id(here.session_key), True),
        (session_id(other.session_key), False),
    ]
    assert cards[0].expires_at == cards[0].signed_in_at + SESSION_IDLE


def test_no_list_and_no_audit_row_names_a_session_s_key(ada: Owner):
    actor = signed_in(ada)
    assert actor.session_key not in str(sessions_of(actor).wire())
    assert actor.session_key not in str(list(AuditRow.objects.values()))
    assert AuditRow.objects.get(act="session.sign_in").record_id == session_id(actor.session_key)


def test_one_place_is_signed_out_and_the_others_stay(ada: Owner):
    lost, here = browser(ada), browser(ada)
    actor = human_of(ada, session_key=here.session.session_key)
    end_session(actor, session_id=session_id(lost.session.session_key))
    assert not is_in(lost)
    assert is_in(here)


def test_another_s_session_is_not_found(ada: Owner):
    grace = signed_in(make_owner("grace"))
    with pytest.raises(NotFound):
        end_session(signed_in(ada), session_id=session_id(grace.session_key))
    assert session_of(grace.session_key) is not None


def test_all_other_places_are_signed_out_with_a_fresh_verification_only(ada: Owner):
    other, here = signed_in(ada), signed_in(ada)
    with shifted(timedelta(minutes=11)), pytest.raises(ReauthenticationRequired):
        end_other_sessions(here)
    assert session_of(other.session_key) is not None
    assert end_other_sessions(here).ended == 1
    assert session_of(other.session_key) is None
    assert session_of(here.session_key) is not None


def test_everywhere_includes_here(ada: Owner):
    clients = [browser(ada), browser(ada)]
    assert end_all_sessions(human_of(ada, session_key=clients[0].session.session_key)).ended == 2
    assert not any(is_in(client) for client in clients)


def test_signing_out_ends_the_present_session_alone(ada: Owner):
    other, here = signed_in(ada), signed_in(ada)
    sign_out(here)
    assert [row.pk for row in Session.objects.all()] == [other.session_key]
    assert AuditRow.objects.filter(act="session.sign_out").count() == 1


def test_an_idle_session_ends(ada: Owner):
    client = browser(ada)
    with shifted(SESSION_IDLE - timedelta(minutes=1)):
        assert session_of(client.session.session_key) is not None
    with shifted(SESSION_IDLE + timedelta(minutes=1)):
        assert session_of(client.session.session_key) is None
        assert not is_in(client)


def test_use_keeps_a_session_alive_but_not_beyond_its_life(ada: Owner):
    client = browser(ada)
    step = SESSION_IDLE - timedelta(minutes=10)
    age = step
    while age < SESSION_LIFE:
        with shifted(age):
            assert is_in(client), age
        age += step
    with shifted(SESSION_LIFE + timedelta(minutes=1)):
        assert not is_in(client)


def test_a_session_in_use_is_written_now_and_then_only(ada: Owner):
    client = browser(ada)
    first = session_of(client.session.session_key)
    is_in(client)
    assert session_of(client.session.session_key).seen_at == first.seen_at
    with shifted(SESSION_SEEN_EVERY + timedelta(seconds=1)):
        is_in(client)
        assert session_of(client.session.session_key).seen_at > first.seen_at


def test_a_session_without_our_instants_is_no_session(ada: Owner):
    client = browser(ada)
    stored = client.session
    del stored["signed_in_at"]
    stored.save()
    assert not is_in(client)
