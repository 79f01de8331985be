"""Signing a person in other than by the sign-in page: with a one-time link."""

from __future__ import annotations

from allauth.account.internal.flows.login import record_authentication
from allauth.account.utils import perform_login
from django.http import HttpRequest, HttpResponse

from identity.actors import SystemActor
from identity.models import Owner
from identity.operations.signin import use_sign_in_link


def by_link(request: HttpRequest, token: str, *, redirect_url: str = "/") -> HttpResponse:
    """Spend the link and begin a session, which counts as freshly verified; a second factor is still asked for.

    Call it for a POST: what fetches an address to preview it must not use the link up. Raises `NotFound` for a link
    that is spent or unknown.
    """
    used = use_sign_in_link(SystemActor(request_id=getattr(request, "request_id", "")), token=token)
    owner = Owner.objects.get(pk=used.owner_id)
    record_authentication(request, owner, method="link")
    response: HttpResponse = perform_login(request, owner, email_verification="none", redirect_url=redirect_url)
    return response
