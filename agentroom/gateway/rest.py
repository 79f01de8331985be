"""REST: `POST /v1/tools/<tool>` and the resource routes beside it. Both take and give exactly the tool's JSON."""

from __future__ import annotations

from collections.abc import Callable
from typing import Any, cast

from django.core.exceptions import SuspiciousOperation
from django.http import HttpRequest, HttpResponse
from django.http.request import UnreadablePostError
from django.views.decorators.csrf import csrf_exempt
from rest_framework.authentication import BaseAuthentication
from rest_framework.exceptions import MethodNotAllowed
from rest_framework.negotiation import BaseContentNegotiation
from rest_framework.parsers import BaseParser
from rest_framework.renderers import BaseRenderer
from rest_framework.request import Request
from rest_framework.views import APIView

from agentroom.core import guard
from agentroom.core.caps import cap_for
from agentroom.core.errors import NotFound
from agentroom.gateway import dispatch
from agentroom.gateway.aliases import Resource
from agentroom.gateway.exceptions import NO_SUCH_ADDRESS, answer, refuse, request_id_of, respond, too_large, translated
from identity.actors import AgentActor
from identity.authentication import authenticate, v1_resource


class BearerAuthentication(BaseAuthentication):
    """A passport or credential in the Authorization header, and nowhere else. There is always a caller."""

    def authenticate(self, request: Request) -> tuple[AgentActor, AgentActor]:
        actor = authenticate(bearer_of(request), resource=v1_resource())
        return actor, actor

    def authenticate_header(self, request: Request) -> str:
        return "Bearer"


class OnlyJson(BaseContentNegotiation):
    """We speak JSON whatever the client says it reads or sends: there is nothing else to choose."""

    def select_parser(self, request: Request, parsers: Any) -> BaseParser:
        chosen: BaseParser = parsers[0]
        return chosen

    def select_renderer(
        self, request: Request, renderers: Any, format_suffix: str | None = None
    ) -> tuple[BaseRenderer, str]:
        return renderers[0], renderers[0].media_type


class JsonView(APIView):
    """What every view under /v1 shares: a caller, JSON only, one error body."""

    content_negotiation_class = OnlyJson
    http_method_names = ["get", "head", "post", "put", "patch", "delete"]

    def get_exception_handler(self) -> Any:
        return answer

    def initial(self, request: Request, *args: Any, **kwargs: Any) -> None:
        super().initial(request, *args, **kwargs)
        facts = getattr(request._request, "scope", {}).get("facts")
        if facts is not None:
            facts["actor"] = request.auth.key


class AgentView(JsonView):
    """Called by agents, each call one tool."""

    authentication_classes = (BearerAuthentication,)

    def run(self, request: Request, tool: str, arguments: Callable[[], object]) -> HttpResponse:
        try:
            reply = dispatch.call(actor_of(request), tool, arguments, request_id=request_id_of(request._request))
        except dispatch.UnknownTool:
            raise NotFound("There is no tool of this name. GET /v1/openapi.json lists them all.") from None
        return respond(reply, request._request)


class ToolView(AgentView):
    """`POST /v1/tools/<tool>`: the body is the arguments."""

    http_method_names = ["post"]

    def post(self, request: Request, tool: str) -> HttpResponse:
        return self.run(request, tool, lambda: body_of(request))


class ResourceView(AgentView):
    """One resource address; each of its methods is a tool."""

    resource: Resource = Resource("", {})

    @property
    def allowed_methods(self) -> list[str]:
        return sorted(self.resource.methods)

    def _take(self, request: Request, **path: str) -> HttpResponse:
        method = "GET" if request.method == "HEAD" else str(request.method)
        alias = self.resource.methods.get(method)
        if alias is None:
            raise MethodNotAllowed(method)
        return self.run(request, alias.tool.name, lambda: alias.arguments(path, request.query_params, body_of(request)))

    get = head = post = put = patch = delete = _take


@csrf_exempt
def nowhere(request: HttpRequest) -> HttpResponse:
    """Every other address under /v1: refused as JSON, for callers who have to read it."""
    return refuse(NotFound(NO_SUCH_ADDRESS), request)


def actor_of(request: Request) -> AgentActor:
    """The caller that `BearerAuthentication` found."""
    return cast(AgentActor, request.auth)


def bearer_of(request: Request) -> str:
    """The one token of the request; empty when it carries none."""
    scheme, _, token = request.headers.get("Authorization", "").strip().partition(" ")
    return token.strip() if scheme.lower() == "bearer" else ""


def body_of(request: Request) -> object:
    """The parsed body, guarded; an absent one is no arguments at all."""
    try:
        raw = request._request.body
    except (SuspiciousOperation, UnreadablePostError) as error:
        raise translated(error, request._request) from error
    cap = cap_for(request.path)
    if cap is not None and len(raw) > cap:
        raise too_large(request._request)
    return guard.parse_json(raw) if raw.strip() else {}
