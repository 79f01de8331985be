"""What a person changes through the sign-in pages is on record, and ends what must end."""

from __future__ import annotations

import re

import pytest
from allauth.account.models import EmailAddress
from allauth.mfa.totp.internal.auth import format_hotp_value, hotp_value, yield_hotp_counters_from_time
from django.core import mail
from django.core.cache import cache
from django.test import Client

from agentroom.core.audit import SERVER, first_broken
from agentroom.core.models import AuditRow
from identity.models import Owner
from identity.sessions import signed_in as session_of
from tests.factories import PASSWORD, make_owner

pytestmark = pytest.mark.django_db
NEW_PASSWORD = "an even longer sentence for tests"


@pytest.fixture
def ada() -> Owner:
    cache.clear()  # the attempts that other tests have counted
    ada = make_owner("ada")
    ada.set_password(PASSWORD)
    ada.save()
    EmailAddress.objects.create(user=ada, email=ada.email, verified=True, primary=True)
    return ada


@pytest.fixture
def browser(ada: Owner) -> Client:
    return signed_in_by_password(ada, PASSWORD)


def signed_in_by_password(owner: Owner, password: str) -> Client:
    client = Client()
    client.post("/accounts/login/", {"login": owner.email, "password": password})
    assert session_of(client.session.session_key) is not None
    client.post("/accounts/reauthenticate/", {"password": password})
    return client


def acts() -> list[str]:
    rows = AuditRow.objects.filter(record_kind="account").order_by("seq")
    assert first_broken(SERVER) is None
    return list(rows.values_list("act", flat=True))


def test_a_changed_password_ends_every_other_session(ada: Owner, browser: Client):
    elsewhere = signed_in_by_password(ada, PASSWORD)
    typed = {"oldpassword": PASSWORD, "password1": NEW_PASSWORD, "password2": NEW_PASSWORD}
    assert browser.post("/accounts/password/change/", typed).status_code == 302
    assert acts() == ["account.password_change"]
    assert session_of(elsewhere.session.session_key) is None
    assert elsewhere.get("/accounts/email/").status_code == 302
    assert session_of(browser.session.session_key).owner == ada
    signed_in_by_password(ada, NEW_PASSWORD)


@pytest.mark.django_db(transaction=True)  # the library announces it after the commit
def test_a_second_factor_is_on_record_and_asked_for_from_then_on(ada: Owner, browser: Client):
    page = browser.get("/accounts/2fa/totp/activate/").content.decode()
    secret = re.search(r'id="authenticator_secret"[^>]*value="([A-Z2-7]+)"|value="([A-Z2-7]{32})"', page)
    code = format_hotp_value(hotp_value(next(filter(None, secret.groups())), next(yield_hotp_counters_from_time())))
    assert browser.post("/accounts/2fa/totp/activate/", {"code": code}).status_code == 302
    assert "account.second_factor_add" in acts()
    client = Client()
    answer = client.post("/accounts/login/", {"login": ada.email, "password": PASSWORD})
    assert answer.headers["Location"].startswith("/accounts/2fa/authenticate/")
    assert session_of(client.session.session_key) is None


def test_another_address_is_taken_once_it_is_confirmed(ada: Owner, browser: Client):
    browser.post("/accounts/email/", {"email": "countess@example.test", "action_add": ""})
    assert Owner.objects.get(pk=ada.pk).email == ada.email
    code = re.search(r"^([A-Z0-9-]{6,9})$", mail.outbox[-1].body, re.MULTILINE)[1]
    browser.post("/accounts/confirm-email/", {"code": code})
    assert Owner.objects.get(pk=ada.pk).email == "countess@example.test"
    assert "account.email_change" in acts()
    assert "countess" not in str(list(AuditRow.objects.values()))


def test_a_forgotten_password_is_reset_by_mail_and_puts_it_on_record(ada: Owner):
    client = Client()
    client.post("/accounts/password/reset/", {"email": ada.email})
    path = re.search(r"http://[^/]+(/accounts/password/reset/key/\S+)", mail.outbox[-1].body)[1]
    form = client.get(path, follow=True).redirect_chain[-1][0]
    client.post(form, {"password1": NEW_PASSWORD, "password2": NEW_PASSWORD})
    assert acts() == ["account.password_reset"]
    signed_in_by_password(ada, NEW_PASSWORD)


def test_a_short_or_common_password_is_refused(ada: Owner, browser: Client):
    for weak in ("short", "password1234", ada.email):
        typed = {"oldpassword": PASSWORD, "password1": weak, "password2": weak}
        assert browser.post("/accounts/password/change/", typed).status_code == 200
    assert acts() == []
