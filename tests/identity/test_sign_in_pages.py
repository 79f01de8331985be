"""The sign-in pages, walked as a browser walks them."""

from __future__ import annotations

import re
from datetime import timedelta

import pytest
from django.core import mail
from django.core.cache import cache
from django.test import Client

from agentroom.core.clock import db_now
from agentroom.core.models import AuditRow
from identity.adapter import INVITED_UNTIL
from identity.models import Owner
from identity.queries import sessions_of
from identity.sessions import signed_in as session_of
from tests.factories import PASSWORD, human_of

pytestmark = pytest.mark.django_db
SIGN_UP = {"name": "Ada Byron", "email": "ada@example.test"}


@pytest.fixture
def browser() -> Client:
    cache.clear()  # the attempts that other tests have counted
    return Client(headers={"user-agent": "Lynx/2.9"})


def code_in_mail() -> str:
    found = re.search(r"^([A-Z0-9]{3,}-?[A-Z0-9]{3,})$", mail.outbox[-1].body, re.MULTILINE)
    assert found, mail.outbox[-1].body
    return found[1]


def sign_up(browser: Client, **typed: str) -> Owner:
    answer = browser.post("/accounts/signup/", {**SIGN_UP, **typed})
    assert answer.status_code == 302, answer.content.decode()
    browser.post("/accounts/confirm-email/", {"code": code_in_mail()})
    return Owner.objects.get(email=typed.get("email", SIGN_UP["email"]))


def test_signing_up_confirms_the_address_and_signs_in(browser: Client):
    owner = sign_up(browser)
    assert (owner.name, owner.handle, owner.verified) == ("Ada Byron", "Ada-Byron", True)
    session = session_of(browser.session.session_key)
    assert session is not None
    assert session.owner == owner
    assert not owner.has_usable_password()
    acts = list(AuditRow.objects.order_by("seq").values_list("act", flat=True))
    assert acts == ["account.open", "account.vouch", "session.sign_in"]


def test_the_device_and_its_address_stand_in_the_list(browser: Client):
    owner = sign_up(browser)
    card = sessions_of(human_of(owner, session_key=browser.session.session_key)).sessions[0]
    assert (card.device, card.address, card.current) == ("Lynx/2.9", "127.0.0.1", True)


def test_a_password_signs_in_and_gives_the_session_a_new_id(browser: Client):
    sign_up(browser, password1=PASSWORD)
    browser.post("/accounts/logout/")
    browser.get("/accounts/login/")
    planted = browser.session
    planted["planted"] = True
    planted.save()
    before = planted.session_key
    browser.cookies["agentroom"] = before
    answer = browser.post("/accounts/login/", {"login": SIGN_UP["email"], "password": PASSWORD})
    assert answer.status_code == 302
    assert browser.session.session_key != before
    assert session_of(before) is None
    assert session_of(browser.session.session_key) is not None


def test_an_e_mailed_code_signs_in(browser: Client):
    owner = sign_up(browser)
    browser.post("/accounts/logout/")
    browser.post("/accounts/login/code/", {"email": owner.email})
    browser.post("/accounts/login/code/confirm/", {"code": code_in_mail()})
    assert session_of(browser.session.session_key).owner == owner
    assert AuditRow.objects.filter(act="session.sign_in").last().after == {"method": "code"}


def test_verifying_again_renews_and_changes_the_session_s_id(browser: Client):
    sign_up(browser, password1=PASSWORD)
    before = browser.session.session_key
    assert session_of(before) is not None
    browser.post("/accounts/reauthenticate/", {"password": PASSWORD})
    after = browser.session.session_key
    assert after != before
    assert session_of(before) is None
    assert AuditRow.objects.filter(act="session.verify_again").count() == 1


def test_a_wrong_password_signs_nobody_in_and_leaves_no_row(browser: Client):
    sign_up(browser, password1=PASSWORD)
    browser.post("/accounts/logout/")
    rows = AuditRow.objects.count()
    answer = browser.post("/accounts/login/", {"login": SIGN_UP["email"], "password": "not the password"})
    assert answer.status_code == 200
    assert session_of(browser.session.session_key or "") is None
    assert AuditRow.objects.count() == rows


def test_a_known_and_an_unknown_address_get_the_same_answer(browser: Client):
    sign_up(browser)
    browser.post("/accounts/logout/")
    sent = len(mail.outbox)
    known = browser.post("/accounts/login/code/", {"email": SIGN_UP["email"]})
    unknown = Client().post("/accounts/login/code/", {"email": "nobody@example.test"})
    assert (known.status_code, known.headers["Location"]) == (unknown.status_code, unknown.headers["Location"])
    assert len(mail.outbox) == sent + 1


def test_a_reserved_name_is_refused_with_the_reason(browser: Client):
    answer = browser.post("/accounts/signup/", {**SIGN_UP, "name": "Adm1n"})
    assert answer.status_code == 200
    assert "reserved" in answer.content.decode()
    assert not Owner.objects.exists()


def test_off_loopback_sign_up_is_closed_to_the_uninvited(browser: Client, settings):
    settings.ON_LOOPBACK = False
    page = browser.get("/accounts/signup/").content.decode()
    assert "invite" in page
    browser.post("/accounts/signup/", SIGN_UP)
    assert not Owner.objects.exists()


@pytest.mark.parametrize(("left", "opens"), [(timedelta(hours=1), True), (timedelta(seconds=-1), False)])
def test_an_invite_opens_sign_up_while_it_lasts(browser: Client, settings, left: timedelta, opens: bool):
    settings.ON_LOOPBACK = False
    session = browser.session
    session[INVITED_UNTIL] = (db_now() + left).isoformat()
    session.save()
    browser.cookies["agentroom"] = session.session_key
    browser.post("/accounts/signup/", SIGN_UP)
    assert Owner.objects.exists() is opens


@pytest.mark.parametrize("page", ["login", "signup", "login/code", "password/reset", "inactive"])
def test_a_page_for_everyone_opens(browser: Client, page: str):
    answer = browser.get(f"/accounts/{page}/")
    assert answer.status_code == 200
    assert "Agent Room" in answer.content.decode()


@pytest.mark.parametrize("page", ["email", "password/change", "reauthenticate", "2fa", "2fa/totp/activate", "logout"])
def test_a_page_of_one_s_own_opens(browser: Client, page: str):
    sign_up(browser, password1=PASSWORD)
    browser.post("/accounts/reauthenticate/", {"password": PASSWORD})
    answer = browser.get(f"/accounts/{page}/")
    assert answer.status_code == 200
    assert "Agent Room" in answer.content.decode()
