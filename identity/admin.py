"""Operators' pages: everything read-only; each action calls the operation that a person's own page calls."""

from __future__ import annotations

from collections.abc import Callable
from typing import Any

from allauth.account.decorators import secure_admin_login
from allauth.account.models import EmailAddress
from allauth.mfa.models import Authenticator
from allauth.usersessions.models import UserSession
from django.contrib import admin, messages
from django.contrib.auth.models import Group
from django.db.models import QuerySet
from django.http import HttpRequest

from agentroom.core.admin import ReadOnlyAdmin
from agentroom.core.errors import PublicError
from identity.actors import SystemActor
from identity.models import Agent, Credential, Instance, Owner, SigningKey
from identity.operations.accounts import restore_account, suspend_account, vouch_for_account
from identity.operations.agents import revoke_agent
from identity.operations.credentials import revoke_credential

# One way in, second factor included, for the operators too.
admin.site.login = secure_admin_login(admin.site.login)  # type: ignore[method-assign]
admin.site.site_header = "Agent Room operators"
admin.site.site_title = "Agent Room"
# Their pages would change how people sign in without leaving a row behind.
admin.site.unregister([EmailAddress, Authenticator, UserSession, Group])


@admin.register(Owner)
class OwnerAdmin(ReadOnlyAdmin):
    list_display = ["name", "handle", "email", "verified", "is_active", "is_staff", "created_at"]
    list_filter = ["verified", "is_active", "is_staff"]
    search_fields = ["=id", "name", "handle", "email"]
    fields = ["id", "name", "handle", "email", "verified", "is_active", "is_staff", "created_at", "deleted_at"]
    actions = ["vouch", "unvouch", "suspend", "restore"]

    @admin.action(description="Mark as verified", permissions=["operate"])
    def vouch(self, request: HttpRequest, owners: QuerySet[Owner]) -> None:
        _each(request, owners, lambda actor, owner: vouch_for_account(actor, owner_id=owner.pk))

    @admin.action(description="Take the verification back", permissions=["operate"])
    def unvouch(self, request: HttpRequest, owners: QuerySet[Owner]) -> None:
        _each(request, owners, lambda actor, owner: vouch_for_account(actor, owner_id=owner.pk, verified=False))

    @admin.action(description="Suspend: shut out with all agents", permissions=["operate"])
    def suspend(self, request: HttpRequest, owners: QuerySet[Owner]) -> None:
        _each(request, owners, lambda actor, owner: suspend_account(actor, owner_id=owner.pk))

    @admin.action(description="Restore a suspended account", permissions=["operate"])
    def restore(self, request: HttpRequest, owners: QuerySet[Owner]) -> None:
        _each(request, owners, lambda actor, owner: restore_account(actor, owner_id=owner.pk))


@admin.register(Agent)
class AgentAdmin(ReadOnlyAdmin):
    list_display = ["plate", "name", "owner", "host", "scope_names", "verified", "created_at", "revoked_at"]
    list_filter = ["host", "verified"]
    list_select_related = ["owner"]
    search_fields = ["=id", "plate", "name", "owner__handle"]
    exclude = ["name_key"]
    actions = ["revoke"]

    @admin.display(description="scopes")
    def scope_names(self, agent: Agent) -> str:
        return ", ".join(agent.granted.names)

    @admin.action(description="Revoke with all credentials; final", permissions=["operate"])
    def revoke(self, request: HttpRequest, agents: QuerySet[Agent]) -> None:
        _each(request, agents, lambda actor, agent: revoke_agent(actor, plate=agent.plate))


@admin.register(Credential)
class CredentialAdmin(ReadOnlyAdmin):
    list_display = ["prefix", "label", "agent", "host", "created_at", "revoked_at"]
    list_filter = ["host"]
    list_select_related = ["agent"]
    search_fields = ["=id", "=prefix", "label", "agent__plate"]
    exclude = ["secret_hash"]
    actions = ["revoke"]

    @admin.action(description="Revoke; final", permissions=["operate"])
    def revoke(self, request: HttpRequest, credentials: QuerySet[Credential]) -> None:
        _each(request, credentials, lambda actor, one: revoke_credential(actor, credential_id=one.pk))


@admin.register(Instance)
class InstanceAdmin(ReadOnlyAdmin):
    list_display = ["name", "agent", "host", "workspace", "is_default", "last_seen_at"]
    list_filter = ["host", "is_default"]
    list_select_related = ["agent"]
    search_fields = ["=name", "agent__plate"]


@admin.register(SigningKey)
class SigningKeyAdmin(ReadOnlyAdmin):
    list_display = ["kid", "created_at", "retired_at", "refused_after"]
    fields = ["kid", "created_at", "retired_at", "refused_after"]
    search_fields = ["kid"]
    ordering = ["-created_at"]


def _each(request: HttpRequest, rows: QuerySet[Any], change: Callable[[SystemActor, Any], object]) -> None:
    """Change the rows one by one, each in its own transaction, and say what became of them."""
    operator = SystemActor(operator_id=str(request.user.pk), request_id=getattr(request, "request_id", ""))
    changed = 0
    for row in list(rows):
        try:
            change(operator, row)
            changed += 1
        except PublicError as error:
            messages.error(request, f"{row}: {error.message}")
    if changed:
        messages.success(request, f"{changed} changed.")
