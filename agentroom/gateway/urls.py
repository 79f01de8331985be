"""Everything of the agents' door that Django serves: /v1 and the reference. `/mcp` stands ahead of Django."""

from __future__ import annotations

from django.urls import URLPattern, URLResolver, path, re_path

from agentroom.gateway import agent_token, aliases, assignment, metadata, openapi, reference, rest


def _route(address: str) -> str:
    return "v1/" + aliases.PLACEHOLDER.sub(lambda found: f"<{_converter(found[1])}:{found[1]}>", address)


def _pattern(resource: aliases.Resource) -> URLPattern:
    return path(_route(resource.path), rest.ResourceView.as_view(resource=resource), name=f"v1 {resource.path}")


def _converter(placeholder: str) -> str:
    return "path" if placeholder == "path" else "str"


urlpatterns: list[URLPattern | URLResolver] = [
    *metadata.urlpatterns,
    path("reference/tools", reference.tools, name="reference tools"),
    path("reference/errors", reference.errors, name="reference errors"),
    path("v1/openapi.json", openapi.view, name="v1 openapi"),
    path("v1/tools/<str:tool>", rest.ToolView.as_view(), name="v1 tool"),
    path(_route(assignment.PATH), assignment.AssignView.as_view(), name="v1 assign"),
    path(_route(agent_token.PATH), agent_token.AgentTokenView.as_view(), name="v1 agent-token"),
    *(_pattern(resource) for resource in aliases.resources()),
    # Last: whatever else is asked of /v1 is refused as JSON, never by a page.
    re_path(r"^v1(?:/[\s\S]*)?\Z", rest.nowhere, name="v1 nowhere"),
]
