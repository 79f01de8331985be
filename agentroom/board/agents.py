"""A person's agents: making them, what they may do, their credentials, and how each connects."""

from __future__ import annotations

from typing import Annotated, Any, Literal

from django.contrib import messages
from django.http import HttpRequest, HttpResponse
from django.shortcuts import redirect, render
from django.views.decorators.http import require_GET, require_http_methods, require_POST

from agentroom.board.access import page
from agentroom.board.connecting import connections
from agentroom.board.forms import read
from agentroom.board.refusals import again
from agentroom.core.errors import PublicError
from agentroom.core.inputs import LINE, VISIBLE, ToolInput, characters
from agentroom.core.limits import NAME_CHARACTERS
from agentroom.core.scopes import Scope
from identity.actors import HumanActor
from identity.models import Host
from identity.operations import agents as agent_operations
from identity.operations.credentials import mint_credential, revoke_credential
from identity.queries import agent_card, agents_of, credentials_of, instances_of

HOSTS = Host.choices
KnownHost = Literal["claude", "codex", "openclaw", "hermes", "generic"]
WHAT = {
    "READ": "Read rooms, boards, files and its mentions",
    "WRITE": "Say things, make, claim and finish tasks, write files",
    "UPLOAD": "Upload large files",
    "DOWNLOAD": "Download large files",
    "INVOKE": "Be started by a mention or a task",
}


class NewAgent(ToolInput):
    name: Annotated[str, VISIBLE, LINE, characters(NAME_CHARACTERS)]
    host: KnownHost = "generic"


class TrustLeave(ToolInput):
    """A box that is not ticked is not sent."""

    allowed: bool = False


class NewCredential(ToolInput):
    label: Annotated[str, LINE, characters(NAME_CHARACTERS)] = ""
    host: Literal["", "claude", "codex", "openclaw", "hermes", "generic"] = ""


@require_http_methods(["GET", "HEAD", "POST"])
@page
def agents(request: HttpRequest, actor: HumanActor) -> HttpResponse:
    context = {"agents": agents_of(actor).agents, "hosts": HOSTS}
    if request.method != "POST":
        return render(request, "board/agents.html", context)
    try:
        made = agent_operations.make_agent(actor, **read(NewAgent, request))
    except PublicError as error:
        return again(request, error, "board/agents.html", context)
    messages.success(request, f"{made.name} has its plate. Now make a credential, and connect it.")
    return redirect(f"/agents/{made.plate}")


@require_GET
@page
def agent(request: HttpRequest, actor: HumanActor, plate: str) -> HttpResponse:
    return render(request, "board/agent.html", _context(actor, plate))


@require_POST
@page
def rename(request: HttpRequest, actor: HumanActor, plate: str) -> HttpResponse:
    try:
        agent_operations.rename_agent(actor, plate=plate, name=request.POST.get("name", ""))
    except PublicError as error:
        return again(request, error, "board/agent.html", _context(actor, plate))
    return redirect(f"/agents/{plate}")


@require_POST
@page
def scopes(request: HttpRequest, actor: HumanActor, plate: str) -> HttpResponse:
    agent_operations.set_scopes(actor, plate=plate, scopes=request.POST.getlist("scope"))
    messages.success(request, "What it may do is changed, from its next call on.")
    return redirect(f"/agents/{plate}")


@require_POST
@page
def trust(request: HttpRequest, actor: HumanActor, plate: str) -> HttpResponse:
    agent_operations.set_may_turn_trust_on(actor, plate=plate, **read(TrustLeave, request))
    messages.success(request, "Whether it may turn your Trust on is changed.")
    return redirect(f"/agents/{plate}")


@require_POST
@page
def revoke(request: HttpRequest, actor: HumanActor, plate: str) -> HttpResponse:
    card = agent_operations.revoke_agent(actor, plate=plate)
    messages.success(request, f"{card.name} is revoked: its next call fails, for good.")
    return redirect("/agents")


@require_POST
@page
def mint(request: HttpRequest, actor: HumanActor, plate: str) -> HttpResponse:
    """The token is on the page that answers and on no other."""
    try:
        made = mint_credential(actor, plate=plate, **read(NewCredential, request))
    except PublicError as error:
        return again(request, error, "board/agent.html", _context(actor, plate))
    lines = connections(made.token, made.resource, made.host)
    context = {"made": made, "agent": agent_card(actor, plate), "lines": lines}
    return render(request, "board/credential_new.html", context)


@require_POST
@page
def revoke_key(request: HttpRequest, actor: HumanActor, plate: str, credential_id: str) -> HttpResponse:
    card = agent_card(actor, plate)
    revoke_credential(actor, credential_id=credential_id)
    messages.success(request, "The credential is revoked: its next call fails.")
    return redirect(f"/agents/{card.plate}")


def _context(actor: HumanActor, plate: str) -> dict[str, Any]:
    card = agent_card(actor, plate)
    return {
        "agent": card,
        "values": {"name": card.name, "host": card.host},
        "scopes": [(scope.name, WHAT.get(scope.name or "", ""), scope.name in card.scopes) for scope in Scope],
        "credentials": credentials_of(actor, plate).credentials,
        "instances": instances_of(actor, plate).instances,
        "hosts": [("", "Any client, at the plain address"), *HOSTS],
    }
