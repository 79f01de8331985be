"""The contract as people and machines read it: pages, OpenAPI and the committed snapshot say what the code does."""

from __future__ import annotations

import pytest
from django.test import Client

from agentroom.core.contract import Retired, registry
from agentroom.core.errors import DOCS_PATH
from agentroom.gateway import codes, openapi
from agentroom.gateway.beside import ADDRESSES
from agentroom.gateway.management.commands.contract import SNAPSHOT, rendered

OPERATIONS = [
    (path, method, operation)
    for path, methods in openapi.document()["paths"].items()
    for method, operation in methods.items()
]


def test_the_committed_snapshot_is_the_contract():
    assert SNAPSHOT.read_text(encoding="utf-8") == rendered(), "run: manage.py contract --write, and review the diff"


def test_every_error_code_is_explained_and_every_explanation_has_its_code():
    assert [kind.code for kind in codes.codes()] == list(codes.MEANINGS)


@pytest.mark.django_db
def test_the_errors_page_has_the_anchor_that_each_error_links_to(client: Client):
    page = client.get(DOCS_PATH).content.decode()
    for kind in codes.codes():
        assert f'id="{kind.code}"' in page


@pytest.mark.django_db
def test_the_tools_page_shows_every_tool_and_every_address_beside_them(client: Client):
    page = client.get("/reference/tools").content.decode()
    for record in registry.records():
        assert record.name in page
        assert isinstance(record, Retired) or f'id="{record.name}"' in page
    for address in ADDRESSES:
        assert f'id="{address.name}"' in page and f"POST /v1/{address.path}" in page


@pytest.mark.django_db
def test_openapi_is_public_and_served_as_json(client: Client):
    answer = client.get("/v1/openapi.json")
    assert answer.headers["content-type"] == "application/json"
    assert answer.json() == openapi.document()


def test_openapi_describes_every_tool_and_every_route():
    described = {(method.upper(), path) for path, method, _ in OPERATIONS}
    for tool in registry.tools():
        assert ("POST", f"/v1/tools/{tool.name}") in described
        for route in tool.routes:
            method, _, path = route.partition(" ")
            assert (method, f"/v1/{path}") in described


def test_operation_ids_are_unique():
    ids = [operation["operationId"] for _, _, operation in OPERATIONS]
    assert len(ids) == len(set(ids))


def test_every_operation_lists_every_refusal_it_may_meet():
    statuses = {str(kind.status) for kind in codes.codes()} - {"405"}
    for _, _, operation in OPERATIONS:
        assert statuses <= operation["responses"].keys()


def test_every_placeholder_of_an_address_is_a_parameter():
    for path, _, operation in OPERATIONS:
        named = {parameter["name"] for parameter in operation.get("parameters", []) if parameter["in"] == "path"}
        assert named == {part[1:-1] for part in path.split("/") if part.startswith("{")}
