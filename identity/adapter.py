"""How the sign-in library makes accounts of ours, and who may sign up."""

from __future__ import annotations

from datetime import datetime
from ipaddress import ip_address
from typing import Any

from allauth.account.adapter import DefaultAccountAdapter
from allauth.core.exceptions import ImmediateHttpResponse
from django.conf import settings
from django.contrib import messages
from django.forms import BaseForm
from django.http import HttpRequest, HttpResponse
from django.shortcuts import redirect

from agentroom.core.clock import db_now
from agentroom.core.errors import PublicError
from identity.actors import SystemActor
from identity.models import Owner
from identity.operations.accounts import open_account

INVITED_UNTIL = "invited_until"
UNKNOWN_ADDRESS = "0.0.0.0"  # noqa: S104 - shown in a list, bound to nothing


def invite(request: HttpRequest, until: datetime) -> None:
    """Let this browser sign up until then; for whoever has checked an invite that it holds."""
    request.session[INVITED_UNTIL] = until.isoformat()


def may_sign_up(request: HttpRequest) -> bool:
    """Sign-up is open on loopback, else by invite only (00-product.md, section 3)."""
    until = request.session.get(INVITED_UNTIL)
    return bool(settings.ON_LOOPBACK or (until and datetime.fromisoformat(until) > db_now()))


class AccountAdapter(DefaultAccountAdapter):
    def is_open_for_signup(self, request: HttpRequest) -> bool:
        return may_sign_up(request)

    def save_user(self, request: HttpRequest, user: Owner, form: BaseForm, commit: bool = True) -> Owner:
        """Called once the form is valid; the form's name and address may still be taken by a faster sign-up."""
        typed = form.cleaned_data
        actor = SystemActor(request_id=getattr(request, "request_id", ""))
        try:
            opened = open_account(
                actor, email=typed["email"], name=typed["name"], password=typed.get("password1") or None
            )
        except PublicError as error:
            messages.error(request, error.message)
            raise ImmediateHttpResponse(redirect("account_signup")) from error
        return Owner.objects.get(pk=opened.owner_id)

    def get_client_ip(self, request: HttpRequest) -> str:
        """The peer as the edge has established it; behind a Unix socket there may be none."""
        address: Any = request.META.get("REMOTE_ADDR", "")
        try:
            return str(ip_address(str(address).partition("%")[0]))
        except ValueError:
            return UNKNOWN_ADDRESS

    def respond_user_inactive(self, request: HttpRequest, user: Owner) -> HttpResponse:
        return redirect("account_inactive")
