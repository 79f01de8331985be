"""`POST /v1/rooms/<room>/tasks/<task_id>/assign`: people only, signed in and with their CSRF token (seed 001)."""

from __future__ import annotations

import pytest
from django.test import Client

from agentroom.core.ids import ulid
from agentroom.core.scopes import ALL
from identity.models import Agent
from tests import factories
from tests.clients import RestClient, committed


@pytest.fixture
def task(cast):
    return factories.make_task(cast.harbour, creator=cast.ada, assignee=cast.forge, status="doing")


@pytest.fixture
def path(cast, task):
    return f"/v1/rooms/{cast.harbour.pk}/tasks/{task.pk}/assign"


def browser(owner, *, csrf: bool = False) -> Client:
    client = Client(enforce_csrf_checks=csrf, raise_request_exception=False)
    with committed():
        client.force_login(owner)
    return client


def post(client: Client, path: str, **body):
    with committed():
        return client.post(path, body, content_type="application/json")


def test_an_admin_gives_the_task_away(cast, task, path):
    answer = post(browser(cast.ada), path, assignee=cast.scout.plate)
    assert answer.status_code == 200
    assert (answer.json()["assignee"], answer.json()["status"]) == (cast.scout.plate, "todo")
    assert answer.json()["fence"] == task.fence + 1
    task.refresh_from_db()
    assert task.assignee == cast.scout


@pytest.mark.parametrize("who", ["scout", "forge", "quill"])
def test_an_agent_is_refused_whatever_its_credential(cast, task, path, who):
    agent = getattr(cast, who)
    Agent.objects.filter(pk=agent.pk).update(scopes=int(ALL))
    for token in (factories.token_for(agent), factories.passport_for(factories.make_credential(agent).credential)):
        for body in ({"assignee": cast.scout.plate}, {}, {"nonsense": 1}):
            answer = RestClient(token).post(path, body)
            assert (answer.status, answer.code) == (403, "FORBIDDEN")
    task.refresh_from_db()
    assert task.assignee == cast.forge


def test_an_agent_in_a_signed_in_browser_is_still_an_agent(cast, path):
    client = browser(cast.ada)
    token = factories.token_for(cast.scout)
    answer = client.post(
        path,
        {"assignee": cast.scout.plate},
        content_type="application/json",
        headers={"Authorization": f"Bearer {token}"},
    )
    assert (answer.status_code, answer.json()["error"]["code"]) == (403, "FORBIDDEN")


def test_nobody_is_asked_to_sign_in(cast, path):
    answer = RestClient(None).post(path, {"assignee": cast.scout.plate})
    assert (answer.status, answer.code) == (401, "IDENTITY_REQUIRED")
    assert RestClient("art_0123456789ab_no").post(path, {}).code == "INVALID_PASSPORT"


def test_a_page_of_another_site_cannot_assign(cast, task, path):
    answer = post(browser(cast.ada, csrf=True), path, assignee=cast.scout.plate)
    assert (answer.status_code, answer.json()["error"]["code"]) == (403, "FORBIDDEN")
    task.refresh_from_db()
    assert task.assignee == cast.forge


def test_a_member_who_is_no_admin_is_refused(cast, path):
    answer = post(browser(cast.grace), path, assignee=cast.quill.plate)
    assert (answer.status_code, answer.json()["error"]["code"]) == (403, "FORBIDDEN")


def test_across_owners_the_new_assignees_owner_must_trust(cast, path):
    refused = post(browser(cast.ada), path, assignee=cast.quill.plate)
    assert (refused.status_code, refused.json()["error"]["code"]) == (403, "NO_GRANT")
    assert refused.json()["error"]["owner"] == cast.grace.handle
    factories.set_trust(cast.harbour, cast.grace)
    assert post(browser(cast.ada), path, assignee=cast.quill.plate).status_code == 200


def test_an_old_fence_loses(cast, task, path):
    answer = post(browser(cast.ada), path, assignee=cast.scout.plate, fence=task.fence - 1)
    assert (answer.status_code, answer.json()["error"]["code"]) == (409, "STALE_LEASE")


def test_a_task_of_another_room_is_as_absent_as_one_that_never_was(cast, task, path):
    mallory = factories.make_owner("mallory")
    shed, lagoon = factories.make_room("Shed", admin=cast.ada), factories.make_room("Lagoon", admin=mallory)
    foreign = factories.make_task(lagoon, creator=mallory)
    client = browser(cast.ada)
    bodies = []
    for room, task_id in [
        (shed.pk, task.pk),
        (lagoon.pk, foreign.pk),
        (cast.harbour.pk, foreign.pk),
        (cast.harbour.pk, ulid()),
        (ulid(), ulid()),
        ("nonsense", "nonsense"),
    ]:
        answer = post(client, f"/v1/rooms/{room}/tasks/{task_id}/assign", assignee=cast.scout.plate)
        assert answer.status_code == 404
        error = answer.json()["error"]
        bodies.append({key: value for key, value in error.items() if key not in {"request_id", "error_id"}})
    assert all(body == bodies[0] for body in bodies)


def test_unknown_arguments_are_named(cast, path):
    answer = post(browser(cast.ada), path, assignee=cast.scout.plate, priority="high")
    assert (answer.status_code, answer.json()["error"]["code"]) == (400, "VALIDATION")
    assert "priority" in answer.json()["error"]["fields"]
