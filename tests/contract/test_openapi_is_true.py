"""OpenAPI tells the truth: schemathesis calls each operation as it is described, and as it is not (T-20)."""

from __future__ import annotations

import os
from collections.abc import Iterator
from typing import Any

import pytest
import schemathesis
from django.core.handlers.wsgi import WSGIHandler
from django.core.signals import request_finished, request_started
from django.db import close_old_connections
from hypothesis import HealthCheck, given, settings
from schemathesis import GenerationMode
from schemathesis.specs.openapi.checks import positive_data_acceptance

from agentroom.gateway import openapi
from tests import factories
from tests.clients import committed, undone
from tests.contract.world import World

EXAMPLES = int(os.environ.get("API_EXAMPLES", "15"))

OPERATIONS = [(method.upper(), path) for path, methods in openapi.document()["paths"].items() for method in methods]


@pytest.fixture
def api(scene) -> Iterator[Any]:
    """The served description, with the application behind it on this thread."""
    handler = WSGIHandler()

    def application(environ: dict[str, Any], start: Any) -> Any:
        with undone(), committed():
            return handler(environ, start)

    for signal in (request_started, request_finished):
        signal.disconnect(close_old_connections)  # as Django's own client does: the test's transaction lives on
    yield schemathesis.openapi.from_wsgi("/v1/openapi.json", application)
    for signal in (request_started, request_finished):
        signal.connect(close_old_connections)


@pytest.mark.parametrize(("method", "path"), OPERATIONS, ids=lambda part: str(part))
def test_an_operation_is_as_it_is_described(api, scene, method, path):
    operation = api[path][method]
    seen: set[int] = set()
    headers = {"Authorization": f"Bearer {factories.token_for(scene.cast.scout)}"}

    @settings(
        max_examples=EXAMPLES,
        deadline=None,
        database=None,
        derandomize=True,
        suppress_health_check=list(HealthCheck),
    )
    @given(case=operation.as_strategy())
    def check(case: Any) -> None:
        if case.meta.generation.mode == GenerationMode.POSITIVE:
            _name_what_is_there(case, scene)
        # Bounds and "either this or that" are said in words, so that a model reads them: not every refusal of what
        # fits the schema is a lie of it.
        answer = case.call_and_validate(headers=headers, excluded_checks=[positive_data_acceptance])
        seen.add(answer.status_code)

    check()
    assert method != "GET" or 200 in seen, "nothing that it describes was ever answered"


def _name_what_is_there(case: Any, scene: World) -> None:
    """Put records of the caller's own room in place of made-up ids, so that what is described can also happen."""
    there = {"room": scene.names["room"], "task_id": scene.names["pool"], "assignee": scene.cast.forge.plate}
    for part in (case.path_parameters, case.query, case.body):
        if isinstance(part, dict):
            part |= {name: value for name, value in there.items() if name in part}
