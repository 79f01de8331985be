"""Every address of the URL conf × who knocks × whose record it names, against the checked-in table (T-12)."""

from __future__ import annotations

import functools
import json
import re
from collections.abc import Iterator
from typing import Any
from urllib.parse import urlencode

import pytest
from django.http import HttpResponse
from django.test import Client
from django.urls import URLPattern, get_resolver

from agentroom.core.ids import ulid
from agentroom.gateway.aliases import PLACEHOLDER, Alias, aliases
from rooms.inputs import MentionTarget
from rooms.models import Mention
from rooms.operations.invites import invite
from rooms.operations.messages import send_message
from tests import factories
from tests.clients import RestClient, committed, undone
from tests.contract import matrix, world
from tests.contract.world import World

KINDS: dict[str, list[str]] = matrix.TABLE["addresses"]
BELOW = ("operator", "library")
ALIASES = list(aliases())
KNOCKERS = ("nobody", "agent", "outsider", "staff")
PARAMETER = re.compile(r"<(?:[a-z]+:)?([a-z_]+)>")
# Filled in so that a form is not what decides.
FORM = {
    "body": "Hello.",
    "on": "0",
    "name": "harbour two",
    "scope": "READ",
    "role": "member",
    "kind": "human_link",
    "status": "paused",
    "objective": "Finish the hull.",
    "content": "# Harbour",
    "expected_revision": "1",
    "expected_version": "0",
    "path": "/srv/harbour",
    "token": "ghp_0123456789abcdef",
    "title": "Sand the deck",
    "definition_of_done": "It is smooth.",
    "revision": "1",
}


def patterns(resolver: Any = None, before: str = "") -> Iterator[tuple[str, URLPattern]]:
    for entry in (resolver or get_resolver()).url_patterns:
        route = before + str(entry.pattern).removeprefix("^").removesuffix("\\Z")
        if isinstance(entry, URLPattern):
            yield route, entry
        else:
            yield from patterns(entry, route)


ROUTES = dict(patterns())
TOOL_ROUTES = {"v1/" + PLACEHOLDER.sub(r"<str:\1>", alias.path) for alias in ALIASES}
LISTED = [(kind, route) for kind, routes in KINDS.items() if kind not in BELOW for route in routes]
ANY_ID = dict.fromkeys(
    ["room_id", "task_id", "message_id", "owner_id", "credential_id", "invite_id", "mention_id"], "0" * 26
)
RECORDS = [(route, name) for route in KINDS["record"] for name in PARAMETER.findall(route)]


def test_every_address_stands_in_the_table_and_nothing_else_does():
    single = {route for _, route in LISTED}
    below = {route for route in ROUTES if any(route.startswith(start) for kind in BELOW for start in KINDS[kind])}
    assert ROUTES.keys() == single | below | TOOL_ROUTES


def test_the_mcp_addresses_are_the_only_ones_ahead_of_django():
    from agentroom.asgi import AHEAD_OF_DJANGO

    assert list(AHEAD_OF_DJANGO) == ["mcp"]


@pytest.fixture(scope="module")
def browsers(built_scene: World) -> dict[str, Client]:
    return {
        "nobody": _browser(),
        "agent": _browser(token=factories.token_for(built_scene.cast.scout)),
        "outsider": _browser(built_scene.mallory),
        "staff": _browser(factories.make_owner("clerk", is_staff=True)),
        "admin": _browser(built_scene.cast.ada),
    }


@pytest.fixture(scope="module")
def places(built_scene: World) -> dict[str, str]:
    """What the addresses name: all of it in Harbour, or ada's."""
    ada, harbour = factories.human_of(built_scene.cast.ada), built_scene.cast.harbour
    made = invite(ada, room=harbour.pk, kind="human_link")
    send_message(
        ada, room=harbour.pk, body="ada, look", mention_targets=[MentionTarget(human=built_scene.cast.grace.pk)]
    )
    return {
        "room_id": harbour.pk,
        "task_id": built_scene.names["pool"],
        "message_id": built_scene.names["message"],
        "plate": built_scene.cast.scout.plate,
        "owner_id": built_scene.cast.grace.pk,
        "credential_id": factories.make_credential(built_scene.cast.scout).credential.pk,
        "invite_id": made.invite_id,
        "mention_id": Mention.objects.get(owner=built_scene.cast.grace).pk,
        "session_id": "0" * 32,
        "token": made.token,
        "name": "head",
        "tool": "whoami",
        "room": harbour.pk,
    }


@pytest.fixture(scope="module")
def elsewhere(built_scene: World) -> dict[str, str]:
    """The same kinds of record, in Lagoon and mallory's."""
    mallory, lagoon = factories.human_of(built_scene.mallory), built_scene.lagoon
    me = MentionTarget(human=built_scene.mallory.pk)
    sent = send_message(factories.actor_of(built_scene.stray), room=lagoon.pk, body="look", mention_targets=[me])
    return {
        "room_id": lagoon.pk,
        "task_id": built_scene.foreign["pool"],
        "message_id": built_scene.foreign["message"],
        "plate": built_scene.stray.plate,
        "owner_id": built_scene.mallory.pk,
        "credential_id": factories.make_credential(built_scene.stray).credential.pk,
        "invite_id": invite(mallory, room=lagoon.pk, kind="human_link").invite_id,
        "mention_id": sent.deliveries[0].mention_id,
        "session_id": "1" * 32,
    }


@pytest.mark.parametrize(("kind", "route"), LISTED, ids=str)
def test_whoever_has_no_business_here_gets_what_the_table_says(kind: str, route: str, scene: World, places, browsers):
    found = {who: _outcome(_visit(browsers[who], route, places)) for who in KNOCKERS}
    assert found == dict(zip(KNOCKERS, matrix.TABLE["answers"][kind].split(), strict=True))


def test_the_admin_is_shut_to_all_but_operators(scene: World, browsers):
    found = {who: _outcome(_visit(browsers[who], "admin/identity/owner/", {}, "GET")) for who in KNOCKERS}
    assert found == dict(zip(KNOCKERS, matrix.TABLE["answers"]["operator"].split(), strict=True))


@pytest.mark.parametrize(("route", "name"), RECORDS, ids=str)
def test_a_foreign_record_an_absent_one_and_no_id_at_all_look_the_same(
    route: str, name: str, scene: World, places, elsewhere, browsers
):
    if name == "name":  # of a fragment: no record
        elsewhere = {**elsewhere, "name": "no-such-part"}
    absent = ulid() if name != "plate" else "BRNL-AGT-00000000"
    pages = []
    for value in (elsewhere[name], absent, "nonsense"):
        answer = _visit(browsers["admin"], route, {**places, name: value})
        assert answer.status_code == 404, f"{value}: {answer.content.decode()[-600:]}"
        pages.append(_anonymous(answer, value))
    assert pages[0] == pages[1], "a foreign record can be told from an absent one"


@pytest.mark.parametrize("alias", ALIASES, ids=lambda alias: f"{alias.method} {alias.path}")
def test_a_tool_s_route_answers_as_the_tool_does(alias: Alias, scene: World):
    row = next(row for row in matrix.rows() if row.tool is alias.tool)
    for who, agent in {
        "same-owner outsider": scene.drift,
        "other-owner outsider": scene.stray,
        "member untrusted": scene.cast.quill,
        "room admin's agent": scene.cast.scout,
    }.items():
        factories.set_trust(scene.cast.harbour, scene.cast.ada, on=False)
        assert _by_route(alias, row.call, scene.own(agent), factories.token_for(agent)) == row.outcomes[who], who
    for who, token in world.strangers(scene, "rest").items():
        expected = matrix.stranger(who, "rest")
        if expected != "ok":
            assert _by_route(alias, row.call, scene.own(scene.cast.scout), token) == expected, who


def _by_route(alias: Alias, call: dict[str, Any], names: dict[str, Any], token: str | None) -> str:
    arguments = world.filled(call, names)
    path = PLACEHOLDER.sub(lambda found: str(arguments.pop(found[1], names["room"])), alias.path)
    if alias.method == "GET":
        path += f"?{urlencode(arguments)}"
    with undone():
        body = {} if alias.method == "GET" else {**arguments, "instance_id": world.INSTANCE}
        answer = RestClient(token).send(alias.method, f"/v1/{path}", body)
    return "ok" if answer.ok else answer.code


def _browser(owner: Any = None, token: str = "") -> Client:
    client = Client(raise_request_exception=False, headers={"Authorization": f"Bearer {token}"} if token else None)
    if owner is not None:
        with committed():
            client.force_login(owner)
    return client


def _visit(client: Client, route: str, places: dict[str, str], method: str = "") -> HttpResponse:
    with undone(), committed():
        return client.generic(method or _verb(route), _path(route, places), *_form(route, places))


def _path(route: str, places: dict[str, str]) -> str:
    plain = re.sub(r"\(\?P<path>.*$", "/mcp", route).replace(r"(?:/[\s\S]*)?", "/elsewhere").replace("\\", "")
    return "/" + PARAMETER.sub(lambda found: places[found[1]], plain)


@functools.cache
def _verb(route: str) -> str:
    """The verb that does something here: POST where it is taken, except where people follow a link."""
    places = {name: ANY_ID.get(name, "nonsense") for name in PARAMETER.findall(route)}
    if "token" in places:
        return "GET"
    probe = Client(raise_request_exception=False).post(_path(route, places))
    return "GET" if probe.status_code == 405 else "POST"


def _form(route: str, places: dict[str, str]) -> tuple[str, str]:
    plate = places.get("plate", "")
    if route.startswith("v1/"):
        return (json.dumps({"assignee": plate} if route in KINDS["assignment"] else {}), "application/json")
    return (urlencode({**FORM, "plate": plate, "assignee": plate}), "application/x-www-form-urlencoded")


def _outcome(answer: HttpResponse) -> str:
    assert answer.status_code < 500 or answer.status_code == 503, answer.content.decode()[-600:]
    if answer.status_code == 302 and "login/" in answer["Location"]:
        return "door"
    return str(answer.status_code) if answer.status_code in {401, 403, 404} else "open"


def _anonymous(answer: HttpResponse, given: str) -> str:
    """The page without what differs from one answer to the next, and without what the address itself said."""
    page = answer.content.decode().replace(given, "<given>")
    return re.sub(r"(err_|req_)?[0-9A-HJKMNP-TV-Z]{26}|nonce=\"[^\"]*\"|X-CSRFToken\": \"[^\"]*|csrf[^>]*>", "", page)
