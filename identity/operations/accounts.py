"""Accounts of people: opening, renaming, vouching, suspending and deleting."""

from __future__ import annotations

from typing import Any

from allauth.account.models import EmailAddress
from allauth.mfa.models import Authenticator
from django.core.exceptions import ValidationError
from django.core.validators import validate_email
from django.db import IntegrityError, transaction

from agentroom.core.audit import Act, append_server
from agentroom.core.clock import db_now
from agentroom.core.errors import Conflict, Validation
from agentroom.core.ids import ulid
from agentroom.core.operation import operation
from identity import departures
from identity.access import account_for
from identity.actors import AnyActor, HumanActor, SystemActor
from identity.ending import end_sessions_of, revoke_agents
from identity.freshness import require_fresh
from identity.models import Agent, Owner, SignInLink
from identity.names import handle_of, handles_for, name_key, normal_name
from identity.outputs import Account, AccountGone

TOMBSTONE = "Deleted account"


@operation
def open_account(
    actor: SystemActor, *, email: str, name: str, password: str | None = None, vouched: bool = False
) -> Account:
    """Open an account; its handle is made from the name and made unique.

    `vouched`: an operator answers for the person and the address, so neither is asked to be verified.
    """
    name = normal_name(name)
    email = _usable_email(email)
    owner = _created(email, name, password, vouched)
    if vouched:
        EmailAddress.objects.create(user=owner, email=email, verified=True, primary=True)
    append_server(actor, _act("account.open", owner, after={"verified": owner.verified}))
    return _account(owner)


@operation
def rename_account(actor: HumanActor, *, name: str, handle: str | None = None) -> Account:
    """Give oneself another name; the handle follows it unless one is given. A handle that is taken is refused."""
    name = normal_name(name)
    handle = handle_of(normal_name(name if handle is None else handle, field="handle"))
    owner = account_for(actor.owner_id, lock=True)
    if Owner.objects.filter(handle_key=name_key(handle)).exclude(pk=owner.pk).exists():
        raise Conflict(
            f"The handle {handle} belongs to someone else here. Choose another one.", fields={"handle": "is taken"}
        )
    owner.name, owner.handle, owner.handle_key = name, handle, name_key(handle)
    owner.save(update_fields=["name", "handle", "handle_key"])
    # Which members, not what they say: the chain keeps its rows when a name has to go.
    append_server(actor, _act("account.rename", owner, after={"changed": ["name", "handle"]}))
    return _account(owner)


@operation
def vouch_for_account(actor: AnyActor, *, owner_id: str, verified: bool = True) -> Account:
    """Mark a person as verified, by an operator or by a confirmed e-mail address; their agents inherit it."""
    owner = account_for(owner_id, lock=True)
    if owner.verified == verified:
        return _account(owner)
    owner.verified = verified
    owner.save(update_fields=["verified"])
    Agent.objects.filter(owner=owner).update(verified=verified)
    append_server(actor, _act("account.vouch", owner, {"verified": not verified}, {"verified": verified}))
    return _account(owner)


@operation
def note_account_change(actor: HumanActor, *, act: str) -> Account:
    """Put on record that the sign-in library has changed something of an account: a password, an address."""
    owner = account_for(actor.owner_id)
    append_server(actor, _act(act, owner))
    return _account(owner)


@operation
def suspend_account(actor: SystemActor, *, owner_id: str) -> Account:
    """Shut a person and all their agents out until `restore_account`."""
    owner = account_for(owner_id, lock=True)
    _set_active(owner, False)
    end_sessions_of(owner.pk)
    append_server(actor, _act("account.suspend", owner, {"active": True}, {"active": False}))
    return _account(owner)


@operation
def restore_account(actor: SystemActor, *, owner_id: str) -> Account:
    """Let a suspended person and their agents in again."""
    owner = account_for(owner_id, lock=True)
    _set_active(owner, True)
    append_server(actor, _act("account.restore", owner, {"active": False}, {"active": True}))
    return _account(owner)


@operation
def delete_account(actor: HumanActor) -> AccountGone:
    """End one's own account for good: access ends, name and address become a tombstone, history keeps the id."""
    departures.owner_departs(actor, actor.owner_id)
    owner = account_for(actor.owner_id, lock=True)
    require_fresh(actor)
    now = db_now()
    revoked = revoke_agents(actor, now, owner_id=owner.pk)
    end_sessions_of(owner.pk)
    for rows in (EmailAddress, Authenticator):
        rows.objects.filter(user=owner).delete()
    SignInLink.objects.filter(owner=owner).delete()
    Owner.objects.filter(pk=owner.pk).update(deleted_at=now, **_tombstone(owner.pk))
    append_server(actor, _act("account.delete", owner, {"active": owner.is_active}, {"active": False}))
    return AccountGone(owner_id=owner.pk, agents_revoked=revoked)


def _usable_email(email: str) -> str:
    email = email.strip().lower()
    try:
        validate_email(email)
    except ValidationError:
        raise Validation("This is not an e-mail address.", fields={"email": "must be an e-mail address"}) from None
    if Owner.objects.filter(email=email).exists():
        raise Conflict("An account with this e-mail address exists. Sign in instead.", fields={"email": "is in use"})
    return email


def _created(email: str, name: str, password: str | None, vouched: bool) -> Owner:
    """Try handles until one is free: another sign-up may take the same at the same moment."""
    for handle in handles_for(name):
        if Owner.objects.filter(handle_key=name_key(handle)).exists():
            continue
        try:
            with transaction.atomic():
                return Owner.objects.create_user(email, password, name=name, handle=handle, verified=vouched)
        except IntegrityError:
            _usable_email(email)
    raise Conflict("No free handle was found for this name. Choose another name.", fields={"name": "is taken"})


def _set_active(owner: Owner, active: bool) -> None:
    if owner.is_active == active:
        raise Conflict(f"This account is {'active' if active else 'suspended'} already.")
    owner.is_active = active
    owner.save(update_fields=["is_active"])


def _tombstone(owner_id: str) -> dict[str, Any]:
    handle = f"deleted-{ulid()[-10:].lower()}"
    return {
        "email": f"{owner_id.lower()}@deleted.invalid",
        "name": TOMBSTONE,
        "handle": handle,
        "handle_key": name_key(handle),
        "password": "!",
        "is_active": False,
        "is_staff": False,
        "is_superuser": False,
        "verified": False,
    }


def _act(act: str, owner: Owner, before: dict[str, Any] | None = None, after: dict[str, Any] | None = None) -> Act:
    return Act(act=act, record_kind="account", record_id=owner.pk, before=before or {}, after=after or {})


def _account(owner: Owner) -> Account:
    return Account(
        owner_id=owner.pk,
        name=owner.name,
        handle=owner.handle,
        email=owner.email,
        verified=owner.verified,
        active=owner.is_active,
    )
