"""One-time links: they sign in once, count as a fresh verification, and are kept as a hash."""

from __future__ import annotations

import pytest
from allauth.mfa.models import Authenticator
from allauth.mfa.totp.internal.auth import TOTP, generate_totp_secret
from django.test import Client

from agentroom.core.clock import shifted
from agentroom.core.errors import NotFound
from agentroom.core.limits import SIGN_IN_LINK
from agentroom.core.models import AuditRow
from identity.actors import SystemActor
from identity.freshness import require_fresh
from identity.models import Owner, SignInLink
from identity.operations.accounts import suspend_account
from identity.operations.signin import make_sign_in_link, use_sign_in_link
from identity.sessions import signed_in as session_of
from tests.factories import human_of, make_owner

pytestmark = pytest.mark.django_db
SYSTEM = SystemActor()


@pytest.fixture
def ada() -> Owner:
    return make_owner("ada")


def follow(token: str) -> Client:
    client = Client()
    client.post(f"/sign-in/{token}")
    return client


def test_a_link_signs_in_and_counts_as_fresh(ada: Owner):
    client = follow(make_sign_in_link(SYSTEM, owner_id=ada.pk).token)
    require_fresh(human_of(ada, session_key=client.session.session_key))
    assert AuditRow.objects.get(act="session.sign_in").after == {"method": "link"}


def test_looking_at_a_link_does_not_use_it_up(ada: Owner):
    token = make_sign_in_link(SYSTEM, owner_id=ada.pk).token
    assert Client().get(f"/sign-in/{token}").status_code == 200
    assert session_of(follow(token).session.session_key) is not None


def test_a_link_works_once(ada: Owner):
    token = make_sign_in_link(SYSTEM, owner_id=ada.pk).token
    follow(token)
    assert session_of(follow(token).session.session_key or "") is None
    with pytest.raises(NotFound):
        use_sign_in_link(SYSTEM, token=token)


def test_a_link_ends_by_the_database_s_clock_unless_it_is_lasting(ada: Owner):
    brief = make_sign_in_link(SYSTEM, owner_id=ada.pk)
    lasting = make_sign_in_link(SYSTEM, owner_id=ada.pk, lifetime=None)
    assert lasting.expires_at is None
    with shifted(SIGN_IN_LINK):
        with pytest.raises(NotFound):
            use_sign_in_link(SYSTEM, token=brief.token)
        assert use_sign_in_link(SYSTEM, token=lasting.token).owner_id == ada.pk


def test_earlier_links_stay_good_when_another_is_made(ada: Owner):
    tokens = [make_sign_in_link(SYSTEM, owner_id=ada.pk).token for _ in range(3)]
    for token in tokens:
        assert use_sign_in_link(SYSTEM, token=token).owner_id == ada.pk


@pytest.mark.parametrize("token", ["", "x", "\0", "\ud800", "a" * 10_000])
def test_an_unknown_link_is_not_found(ada: Owner, token: str):
    with pytest.raises(NotFound):
        use_sign_in_link(SYSTEM, token=token)


def test_a_suspended_person_s_link_is_no_longer_good(ada: Owner):
    token = make_sign_in_link(SYSTEM, owner_id=ada.pk).token
    suspend_account(SYSTEM, owner_id=ada.pk)
    with pytest.raises(NotFound):
        use_sign_in_link(SYSTEM, token=token)


def test_a_link_is_stored_as_a_hash_only(ada: Owner):
    token = make_sign_in_link(SYSTEM, owner_id=ada.pk).token
    assert len(token) >= 32
    assert token not in str([*SignInLink.objects.values(), *AuditRow.objects.values()])


def test_a_link_does_not_stand_in_for_the_second_factor(ada: Owner):
    TOTP.activate(ada, generate_totp_secret())
    assert Authenticator.objects.exists()
    client = follow(make_sign_in_link(SYSTEM, owner_id=ada.pk).token)
    assert session_of(client.session.session_key) is None


def test_following_a_link_in_another_person_s_browser_ends_that_session(ada: Owner):
    grace = make_owner("grace")
    client = Client()
    client.force_login(grace)
    before = client.session.session_key
    client.post(f"/sign-in/{make_sign_in_link(SYSTEM, owner_id=ada.pk).token}")
    assert session_of(before) is None
    assert session_of(client.session.session_key).owner == ada
