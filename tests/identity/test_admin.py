"""The operators' pages: all read-only, one way in, and actions that go through the operations."""

from __future__ import annotations

import pytest
from django.contrib import admin
from django.test import Client

from agentroom.core.clock import db_now
from agentroom.core.models import AuditRow, IdempotentReceipt
from identity import keyring
from identity.models import Agent, Credential, Owner
from tests.factories import Held, make_agent, make_credential, make_owner

pytestmark = pytest.mark.django_db


@pytest.fixture
def operator() -> Client:
    client = Client()
    client.force_login(make_owner("grete", is_staff=True, is_superuser=True))
    return client


@pytest.fixture
def held() -> Held:
    return make_credential(make_agent(make_owner("ada"), "scout"))


def act(client: Client, page: str, action: str, key: str) -> int:
    answer = client.post(f"/admin/{page}/", {"action": action, "_selected_action": key}, follow=True)
    return answer.status_code


def test_every_page_of_ours_opens_and_offers_no_change(operator: Client, held: Held):
    keyring.signing_key()
    for model in admin.site._registry:
        if model._meta.app_label not in {"identity", "core"}:
            continue
        place = f"/admin/{model._meta.app_label}/{model._meta.model_name}/"
        assert operator.get(place).status_code == 200, place
        assert operator.get(f"{place}?q=scout").status_code == 200, place
        assert operator.get(f"{place}add/").status_code == 403, place
        row = model._default_manager.first()
        if row is not None:
            shown = operator.get(f"{place}{row.pk}/change/")
            assert shown.status_code == 200, place
            assert b'name="_save"' not in shown.content, place
            assert operator.post(f"{place}{row.pk}/delete/", {"post": "yes"}).status_code == 403, place


def test_no_page_shows_a_secret_or_its_hash(operator: Client, held: Held):
    key = keyring.signing_key()
    pages = [
        f"/admin/identity/credential/{held.credential.pk}/change/",
        f"/admin/identity/signingkey/{key.kid}/change/",
        f"/admin/identity/owner/{held.credential.created_by_id}/change/",
    ]
    text = "".join(operator.get(page).content.decode() for page in pages)
    assert held.credential.prefix in text
    for secret in (held.credential.secret_hash, held.token, "private", "password"):
        assert secret not in text.lower().replace("/accounts/password/change/", "")


def test_a_receipt_is_shown_without_its_answer(operator: Client):
    row = IdempotentReceipt.objects.create(
        actor_key="agent:X",
        operation="send_message",
        key="k",
        digest="d",
        answer={"body": "between us"},
        created_at=db_now(),
    )
    assert "between us" not in operator.get(f"/admin/core/idempotentreceipt/{row.pk}/change/").content.decode()


def test_revoking_there_is_the_operation_with_the_operator_on_record(operator: Client, held: Held):
    assert act(operator, "identity/credential", "revoke", held.credential.pk) == 200
    assert Credential.objects.get().revoked_at is not None
    assert act(operator, "identity/agent", "revoke", held.credential.agent_id) == 200
    assert Agent.objects.get().revoked_at is not None
    keys = set(AuditRow.objects.filter(act__endswith=".revoke").values_list("actor_key", flat=True))
    assert keys == {f"operator:{Owner.objects.get(name='grete').pk}"}


@pytest.mark.parametrize(
    ("action", "field", "value"),
    [("suspend", "is_active", False), ("unvouch", "verified", False), ("vouch", "verified", True)],
)
def test_accounts_are_changed_by_actions(operator: Client, held: Held, action: str, field: str, value: bool):
    act(operator, "identity/owner", action, held.credential.created_by_id)
    assert getattr(Owner.objects.get(name="ada"), field) is value


def test_what_an_operation_refuses_is_said_and_changes_nothing(operator: Client, held: Held):
    act(operator, "identity/credential", "revoke", held.credential.pk)
    answer = operator.post(
        "/admin/identity/credential/", {"action": "revoke", "_selected_action": held.credential.pk}, follow=True
    )
    assert "revoked already" in answer.content.decode()
    assert AuditRow.objects.filter(act="credential.revoke").count() == 1


def test_staff_without_the_operator_s_right_cannot_act(held: Held):
    client = Client()
    client.force_login(make_owner("staff", is_staff=True))
    client.post("/admin/identity/credential/", {"action": "revoke", "_selected_action": held.credential.pk})
    assert Credential.objects.get().revoked_at is None


def test_a_stranger_is_sent_to_the_one_sign_in_page():
    answer = Client().get("/admin/", follow=True)
    assert answer.redirect_chain[-1][0].startswith("/accounts/login/")


def test_a_person_who_is_no_operator_does_not_get_in():
    client = Client()
    client.force_login(make_owner("ada"))
    assert client.get("/admin/", follow=True).status_code == 403


def test_audit_rows_are_found_by_record(operator: Client, held: Held):
    act(operator, "identity/credential", "revoke", held.credential.pk)
    shown = f"/admin/core/auditrow/{AuditRow.objects.get(act='credential.revoke').pk}/change/"
    for wanted in (held.credential.pk, "credential.revoke"):
        assert shown in operator.get(f"/admin/core/auditrow/?q={wanted}").content.decode()
    assert shown not in operator.get("/admin/core/auditrow/?q=nothing").content.decode()
