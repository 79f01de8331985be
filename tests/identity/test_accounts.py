"""Accounts: opened with a handle of their own, renamed, vouched for, suspended, deleted to a tombstone."""

from __future__ import annotations

from datetime import timedelta

import pytest
from allauth.account.models import EmailAddress
from django.contrib.sessions.models import Session
from django.core.management import CommandError, call_command

from agentroom.core.audit import SERVER, first_broken
from agentroom.core.clock import shifted
from agentroom.core.errors import Conflict, NotFound, ReauthenticationRequired, Validation
from agentroom.core.models import AuditRow
from identity.actors import SystemActor
from identity.models import Agent, Credential, Owner, SignInLink
from identity.operations.accounts import (
    delete_account,
    open_account,
    rename_account,
    restore_account,
    suspend_account,
    vouch_for_account,
)
from identity.operations.signin import make_sign_in_link
from identity.sessions import signed_in as session_of
from tests.factories import human_of, make_agent, make_credential, make_owner, signed_in

pytestmark = pytest.mark.django_db
SYSTEM = SystemActor()


def opened(name: str, email: str = "ada@example.test") -> Owner:
    return Owner.objects.get(pk=open_account(SYSTEM, email=email, name=name).owner_id)


def test_a_handle_is_made_from_the_name_and_made_unique():
    handles = [opened("Ada Byron", f"ada{number}@example.test").handle for number in range(3)]
    assert handles == ["Ada-Byron", "Ada-Byron-2", "Ada-Byron-3"]


def test_the_handle_of_a_long_name_still_fits():
    names = [opened("x" * 64, f"x{number}@example.test").handle for number in range(2)]
    assert [len(name) for name in names] == [64, 62]


def test_an_address_is_used_once_whatever_its_case():
    opened("Ada")
    with pytest.raises(Conflict) as refusal:
        open_account(SYSTEM, email="ADA@Example.test", name="Ada")
    assert list(refusal.value.fields) == ["email"]


@pytest.mark.parametrize(
    ("email", "name", "field"), [("no address", "Ada", "email"), ("a@example.test", "admin", "name")]
)
def test_what_cannot_be_used_is_refused_and_opens_nothing(email: str, name: str, field: str):
    with pytest.raises(Validation) as refusal:
        open_account(SYSTEM, email=email, name=name)
    assert list(refusal.value.fields) == [field]
    assert not Owner.objects.exists()


def test_an_account_an_operator_vouches_for_needs_no_confirmation():
    account = open_account(SYSTEM, email="ada@example.test", name="Ada", vouched=True)
    assert account.verified
    assert EmailAddress.objects.get(user_id=account.owner_id).verified


def test_a_password_is_stored_hashed_and_without_one_none_fits():
    owner = Owner.objects.get(
        pk=open_account(SYSTEM, email="a@example.test", name="Ada", password="correct horse battery").owner_id
    )
    assert owner.password.startswith("scrypt$")
    assert not opened("Grace", "g@example.test").has_usable_password()


def test_renaming_moves_the_handle_with_the_name_unless_one_is_given():
    ada = make_owner("ada")
    assert rename_account(human_of(ada), name="Ada King").handle == "Ada-King"
    assert rename_account(human_of(ada), name="Ada", handle="countess").handle == "countess"


@pytest.mark.parametrize("handle", ["grace", "GRACE", "Gr ace"])
def test_a_taken_handle_is_refused(handle: str):
    ada = make_owner("ada")
    make_owner("grace")
    make_owner("gr-ace")
    with pytest.raises(Conflict) as refusal:
        rename_account(human_of(ada), name="Ada", handle=handle)
    assert list(refusal.value.fields) == ["handle"]
    assert Owner.objects.get(pk=ada.pk).handle == "ada"


def test_a_vouched_owner_s_agents_inherit_the_mark_and_lose_it_again():
    ada = make_owner("ada", verified=False)
    agent = make_agent(ada)
    vouch_for_account(SYSTEM, owner_id=ada.pk)
    assert Agent.objects.get(pk=agent.pk).verified
    vouch_for_account(SYSTEM, owner_id=ada.pk, verified=False)
    assert not Agent.objects.get(pk=agent.pk).verified
    assert AuditRow.objects.filter(act="account.vouch").count() == 2


def test_suspending_ends_every_session_and_restoring_lets_in_again():
    ada = make_owner("ada")
    actor = signed_in(ada)
    suspend_account(SYSTEM, owner_id=ada.pk)
    assert session_of(actor.session_key) is None
    with pytest.raises(Conflict):
        suspend_account(SYSTEM, owner_id=ada.pk)
    restore_account(SYSTEM, owner_id=ada.pk)
    assert session_of(signed_in(ada).session_key) is not None


def test_deleting_an_account_leaves_a_tombstone_and_nothing_of_the_person():
    account = open_account(SYSTEM, email="ada@example.test", name="Ada Lovelace", vouched=True)
    ada = Owner.objects.get(pk=account.owner_id)
    held = make_credential(make_agent(ada))
    make_sign_in_link(SYSTEM, owner_id=ada.pk)
    gone = delete_account(signed_in(ada))

    assert gone.agents_revoked == 1
    rest = Owner.objects.get(pk=ada.pk)
    assert (rest.name, rest.is_active, rest.deleted_at is None) == ("Deleted account", False, False)
    assert rest.email.endswith("@deleted.invalid")
    assert "ada" not in f"{rest.handle} {rest.handle_key} {rest.email.partition('@')[2]}".lower()
    assert Credential.objects.get(pk=held.credential.pk).revoked_at is not None
    for rows in (EmailAddress, Session, SignInLink):
        assert not rows.objects.exists()
    assert "Lovelace" not in str(list(AuditRow.objects.values()))
    assert AuditRow.objects.get(act="account.delete").record_id == ada.pk
    assert first_broken(SERVER) is None


def test_the_name_and_address_of_a_deleted_account_are_free_again():
    ada = opened("Ada")
    delete_account(signed_in(ada))
    assert opened("Ada").handle == "Ada"


def test_deleting_asks_for_a_fresh_verification_and_changes_nothing_without_it():
    ada = make_owner("ada")
    actor = signed_in(ada)
    with shifted(timedelta(minutes=11)), pytest.raises(ReauthenticationRequired):
        delete_account(actor)
    assert Owner.objects.get(pk=ada.pk).is_active


def test_a_deleted_account_cannot_be_brought_back():
    ada = make_owner("ada")
    delete_account(signed_in(ada))
    for change in (restore_account, vouch_for_account, suspend_account):
        with pytest.raises(NotFound):
            change(SYSTEM, owner_id=ada.pk)


def test_the_console_makes_an_operator_who_can_sign_in_at_once():
    opened("Grete", "other@example.test")
    call_command("createsuperuser", email="Grete@example.test", name="Grete", interactive=False, verbosity=0)
    grete = Owner.objects.get(is_superuser=True)
    assert (grete.email, grete.handle, grete.verified) == ("grete@example.test", "Grete-2", True)
    assert EmailAddress.objects.get(user=grete).verified
    with pytest.raises(CommandError, match="reserved"):
        call_command("createsuperuser", email="a@example.test", name="admin", interactive=False, verbosity=0)


def test_an_operator_made_at_the_console_is_on_record_once_and_a_refused_one_is_not():
    call_command("createsuperuser", email="grete@example.test", name="Grete", interactive=False, verbosity=0)
    with pytest.raises(CommandError):
        call_command("createsuperuser", email="a@example.test", name="admin", interactive=False, verbosity=0)
    row = AuditRow.objects.get(act="account.open")
    assert (row.chain, row.actor_key, row.record_id) == (SERVER, "operator:console", Owner.objects.get().pk)
    assert row.after == {"verified": True, "operator": True}
    assert first_broken(SERVER) is None
