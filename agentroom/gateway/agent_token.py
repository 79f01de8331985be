"""`POST /v1/agent-token`: an agent's credential asks for a passport, to be sent in its place for 15 minutes at most."""

from __future__ import annotations

from dataclasses import replace
from datetime import timedelta
from typing import Annotated, Any, Literal

from django.conf import settings
from django.http import HttpResponse
from pydantic import Field
from rest_framework.request import Request

from agentroom.core import limits, ratelimit
from agentroom.core.errors import Forbidden, Validation
from agentroom.core.inputs import Id, ToolInput, at_most_items, between, characters
from agentroom.core.limits import Bucket
from agentroom.gateway.arguments import validated
from agentroom.gateway.dispatch import Reply
from agentroom.gateway.exceptions import request_id_of, respond
from agentroom.gateway.mcp import hosts
from agentroom.gateway.rest import AgentView, actor_of, body_of
from identity.actors import AgentActor
from identity.operations.passports import mint_passport
from identity.outputs import NewPassport
from identity.places import V1, v1_resource
from rooms.access import room_for

PATH = "agent-token"
SECONDS_MOST = int(limits.PASSPORT.total_seconds())
HISTORY = "history"  # what READ is called in collaboration

Op = Literal["READ", "WRITE", "UPLOAD", "DOWNLOAD", "INVOKE", "history"]
OPS_MOST = len(Op.__args__)  # type: ignore[attr-defined]
Name = Annotated[str, characters(64)]


class Collaboration(ToolInput):
    ops: Annotated[tuple[Name, ...], at_most_items(50)] = ()
    projects: Annotated[tuple[Id, ...], at_most_items(limits.ROOMS_PER_OWNER)] = ()


class AgentToken(ToolInput):
    """The names are those of seed 002, whose clients ask for their tokens here."""

    agentId: Annotated[str, characters(32), Field(description="the credential's own plate")] | None = None
    ops: (
        Annotated[
            tuple[Op, ...],
            at_most_items(OPS_MOST),
            Field(description="scopes the passport is to have, of the agent's own; all of them when left out"),
        ]
        | None
    ) = None
    channels: Annotated[
        tuple[Id, ...],
        at_most_items(limits.ROOMS_PER_OWNER),
        Field(description="rooms of the agent; narrows nothing: a passport reaches every room its agent is in"),
    ] = ()
    ttlSec: Annotated[int, between(1, SECONDS_MOST), Field(description=f"seconds, max {SECONDS_MOST}")] = SECONDS_MOST
    resource: (
        Annotated[
            str,
            characters(limits.HINT_CHARACTERS),
            Field(description="the one address it is good at, as GET /v1/capabilities names it; /v1 when left out"),
        ]
        | None
    ) = None
    collaboration: Annotated[Collaboration, Field(description="refused: no credential may carry it yet")] | None = None


class AgentTokenView(AgentView):
    http_method_names = ["post"]

    def post(self, request: Request) -> HttpResponse:
        actor = actor_of(request)
        ratelimit.hit(actor.key, Bucket.MINT)
        given = validated("agent-token", AgentToken, body_of(request))
        _require_grantable(actor, given)
        made: NewPassport = mint_passport(
            _named(actor, request),
            resource=_audience(request, given.resource),
            plate=given.agentId,
            scopes=None if given.ops is None else ["READ" if op == HISTORY else op for op in given.ops],
            lifetime=timedelta(seconds=given.ttlSec),
        )
        response = respond(Reply(True, 200, made.wire()), request._request)
        response["Cache-Control"] = "no-store"
        return response


def _require_grantable(actor: AgentActor, given: AgentToken) -> None:
    if given.collaboration is not None:
        raise Forbidden(
            "This credential was granted no collaboration operations, so no passport of it may carry any. "
            "Leave `collaboration` out."
        )
    for room in given.channels:
        room_for(actor, room)


def _audience(request: Request, asked: str | None) -> str:
    """The exact address that the passport is to be made for. On loopback the server has several equal names."""
    if asked is None:
        return v1_resource()
    for base in {hosts.base_url(request.scheme or "http", request.get_host()), settings.AGENTROOM_BASE_URL}:
        if asked == f"{base}{V1}":
            return v1_resource()
        if asked in {f"{base}{path}" for path in hosts.PATHS}:
            return asked
    problem = "must be an address of this server, exactly as GET /v1/capabilities names it"
    raise Validation(f"resource {problem}. Nothing was made.", fields={"resource": problem})


def _named(actor: AgentActor, request: Request) -> AgentActor:
    return replace(actor, request_id=request_id_of(request._request))


def described() -> dict[str, Any]:
    """What OpenAPI and the reference say of it beyond the parts every operation has."""
    return {
        "operationId": "agent-token",
        "summary": "Get a passport for a credential",
        "description": (
            "Sent with an agent's credential; a passport makes no other passport. The answer's `passport` is a JWT "
            f"signed with Ed25519, good for at most {SECONDS_MOST} seconds and only at `resource`: send it there as "
            "`Authorization: Bearer …`. A credential bound to a host makes passports for that host's address and "
            "/v1, any other for /mcp and /v1. It ends at once when its agent or credential is revoked. Anybody can "
            f"verify it with the keys at /.well-known/jwks.json.\n\n{_budget()}"
        ),
        "security": [{"credential": []}],
    }


def _budget() -> str:
    return f"{Bucket.MINT.calls} {Bucket.MINT.label} calls in {Bucket.MINT.seconds} s."
