"""Resource routes: other addresses of the same tools, with the same answers."""

from __future__ import annotations

import pytest

from agentroom.core.ids import ulid
from agentroom.gateway.aliases import aliases, resources
from tests import factories
from tests.clients import RestClient

WITHOUT_IDS = {"error_id", "request_id", "next_action"}


@pytest.fixture
def rest(scout):
    return RestClient(factories.token_for(scout))


def same(answer):
    return answer.data if answer.ok else {key: value for key, value in answer.error.items() if key not in WITHOUT_IDS}


def test_the_routes_of_the_product_are_there():
    assert {
        "GET me",
        "GET rooms",
        "GET rooms/{room}/board",
        "GET rooms/{room}/context",
        "GET rooms/{room}/messages",
        "POST rooms/{room}/messages",
        "POST rooms/{room}/tasks",
        "PATCH rooms/{room}/tasks/{task_id}",
        "POST rooms/{room}/tasks/{task_id}/claim",
        "POST rooms/{room}/tasks/{task_id}/completion",
        "POST rooms/{room}/tasks/{task_id}/release",
        "POST rooms/{room}/tasks/{task_id}/status",
        "POST rooms/{room}/tasks/{task_id}/renewal",
    } <= {f"{alias.method} {alias.path}" for alias in aliases()}


def test_a_read_says_the_same_at_both_addresses(rest, harbour):
    assert rest.get("/v1/me").data == rest.call("whoami").data
    assert rest.get("/v1/rooms").data == rest.call("list_rooms").data
    for path, tool in [("board", "read_board"), ("context", "get_room_context"), ("messages", "read_room")]:
        assert same(rest.get(f"/v1/rooms/{harbour.pk}/{path}")) == same(rest.call(tool, room=harbour.pk))


def test_a_query_is_read_as_the_kinds_its_fields_have(rest, harbour):
    for number in range(3):
        rest.call("send_message", room=harbour.pk, body=f"Message {number}")
    page = rest.get(f"/v1/rooms/{harbour.pk}/messages?limit=2")
    assert [item["body"] for item in page["messages"]] == ["Message 1", "Message 2"]
    assert [item["seq"] for item in rest.get(f"/v1/rooms/{harbour.pk}/messages?since_seq=2")["messages"]] == [3]


@pytest.mark.parametrize("query", ["limit=two", "limit=1.5", "limit=", "limit=1&limit=2", "wat=1", "room=x", "%00=1"])
def test_a_query_that_says_nothing_plain_is_refused(rest, harbour, query):
    answer = rest.get(f"/v1/rooms/{harbour.pk}/messages?{query}")
    assert (answer.status, answer.code) == (400, "VALIDATION")
    assert answer.error["fields"]


def test_a_task_lives_through_its_routes(rest, harbour):
    made = rest.post(f"/v1/rooms/{harbour.pk}/tasks", {"title": "Caulk", "definition_of_done": "No water comes in."})
    task = f"/v1/rooms/{harbour.pk}/tasks/{made['task_id']}"
    assert rest.patch(task, {"title": "Caulk it all"})["title"] == "Caulk it all"
    fence = rest.post(f"{task}/claim", {})["fence"]
    assert rest.post(f"{task}/renewal", {"fence": fence})["fence"] == fence
    assert rest.post(f"{task}/status", {"status": "blocked", "reason": "Tar is out."})["status"] == "blocked"
    assert rest.post(f"{task}/status", {"status": "doing"})["status"] == "doing"
    done = {"status": "done", "summary": "Caulked.", "handoff_notes": "Two barrels went into it."}
    assert rest.post(f"{task}/completion", done)["task"]["status"] == "done"


def test_an_id_of_no_form_and_a_task_of_another_room_are_as_absent_as_any(rest, cast):
    shed = factories.make_room("Shed", admin=cast.ada)
    factories.make_member(shed, cast.scout)
    lagoon = factories.make_room("Lagoon", admin=factories.make_owner("mallory"))
    here = factories.make_task(cast.harbour, creator=cast.ada)
    foreign = factories.make_task(lagoon, creator=cast.ada)
    refusals = [
        same(rest.post(f"/v1/rooms/{room}/tasks/{task}/claim", {}))
        for room, task in [
            (cast.harbour.pk, ulid()),
            (shed.pk, here.pk),
            (lagoon.pk, foreign.pk),
            (cast.harbour.pk, foreign.pk),
            ("nonsense", "nonsense"),
            (cast.harbour.pk, "%00"),
        ]
    ]
    assert all(refusal["code"] in {"NOT_FOUND", "VALIDATION"} for refusal in refusals)
    assert all(refusal == refusals[0] for refusal in refusals[:-1])
    assert rest.post(f"/v1/rooms/{cast.harbour.pk}/tasks/{here.pk.lower()}/claim", {})["claimed"]


def test_what_the_address_names_is_not_given_again(rest, harbour):
    answer = rest.post(f"/v1/rooms/{harbour.pk}/messages", {"room": harbour.pk, "body": "Twice."})
    assert (answer.status, answer.code) == (400, "VALIDATION")
    assert "room" in answer.error["fields"]


@pytest.mark.parametrize("resource", resources(), ids=lambda resource: resource.path)
def test_a_route_takes_only_its_own_verbs(rest, resource):
    path = resource.path.replace("{room}", ulid()).replace("{task_id}", ulid())
    for method in {"GET", "POST", "PUT", "PATCH", "DELETE", "OPTIONS", "TRACE"} - resource.methods.keys():
        answer = rest.request(method, f"/v1/{path}")
        assert (answer.status, answer.code) == (405, "METHOD_NOT_ALLOWED")
        assert answer.headers["allow"] == ", ".join(sorted(resource.methods))
        assert RestClient(None).request(method, f"/v1/{path}").status == 401


def test_head_is_get_without_its_body(rest):
    assert rest.request("HEAD", "/v1/me").status == 200
