"""Every argument of every tool, given wrongly at every door: the answer names it and says what it takes."""

from __future__ import annotations

import json
from collections.abc import Iterator
from typing import Any
from urllib.parse import urlencode

import pytest
from pydantic import ValidationError

import agentroom.board.urls  # noqa: F401 - the forms of the browser are declared beside its pages
from agentroom.core import refusals
from agentroom.core.contract import registry
from agentroom.core.ids import ulid
from agentroom.core.inputs import ToolInput
from agentroom.core.schema import input_schema
from agentroom.gateway.aliases import aliases
from tests import factories
from tests.clients import McpClient, RestClient

FOREIGN = ("Input should", "Extra inputs", "Value error", "Field required", "unable to", "valid ", "pydantic")
WRONG: dict[str, list[Any]] = {
    "string": [5, True, [], {}],
    "integer": ["abc", 1.5, True, [], {}, 2**63 - 1, -(2**63)],
    "boolean": ["perhaps", 5, []],
    "array": ["x", 5, {}, [5], [[]], [{"zzz": 1}], ["x" * 300], ["0" * 26] * 201],
}
TOOLS = list(registry.tools())
FIELDS = [(tool, name) for tool in TOOLS for name in tool.input.model_fields]


@pytest.fixture(params=["mcp", "rest"])
def client(request, scout, settings):
    settings.RATE_LIMITS_ENABLED = False
    return (McpClient if request.param == "mcp" else RestClient)(factories.token_for(scout))


def wrong_values(schema: dict[str, Any], long: int = 40_000) -> Iterator[Any]:
    yield from WRONG[schema["type"]]
    if schema["type"] == "string":
        yield "x" * long
        yield "\u200b"
    if "enum" in schema or schema.get("format") == "date-time":
        yield from ("zzz", "2026-03-01", "2026-03-01T12:00:00", "")


def require_ours(answer, name: str, schema: dict[str, Any], what: str):
    assert (answer.status, answer.code) == (400, "VALIDATION"), what
    assert not [phrase for phrase in FOREIGN if phrase in answer.raw.decode()], answer.raw
    assert "function-" not in answer.raw.decode(), answer.raw
    for place, text in answer.error["fields"].items():
        assert place.partition("[")[0] == name, (what, place)
        assert text, what
        assert "cannot be used here" not in text, what
        assert all(value in text for value in schema.get("enum", [])), text
    assert name in answer.error["message"]


@pytest.mark.parametrize(("tool", "name"), FIELDS, ids=lambda part: part if isinstance(part, str) else part.name)
def test_an_argument_of_a_wrong_kind_or_size_is_named_with_what_it_takes(client, tool, name):
    schema = input_schema(tool.input)["properties"][name]
    whole = sound(tool.input)
    for value in wrong_values(schema):
        if is_allowed(tool.input, name, value):
            continue
        answer = client.call(tool.name, **{**whole, name: value})
        require_ours(answer, name, schema, f"{tool.name} {name}={json.dumps(value)[:60]}")


@pytest.mark.parametrize("alias", list(aliases()), ids=lambda alias: f"{alias.method} {alias.path}")
def test_a_resource_route_says_the_same(alias, scout, harbour, settings):
    settings.RATE_LIMITS_ENABLED = False
    rest = RestClient(factories.token_for(scout))
    path = "/v1/" + alias.path.replace("{room}", harbour.pk).replace("{task_id}", ulid())
    whole = {name: value for name, value in sound(alias.tool.input).items() if name not in alias.placeholders}
    for name, schema in input_schema(alias.tool.input)["properties"].items():
        if name in alias.placeholders:
            continue
        for value in queried(schema) if alias.method == "GET" else wrong_values(schema):
            if is_allowed(alias.tool.input, name, value):
                continue
            given = {**whole, name: value}
            if alias.method == "GET":
                answer = rest.get(f"{path}?{urlencode(given, doseq=True)}")
            else:
                answer = rest.send(alias.method, path, given)
            require_ours(answer, name, schema, f"{alias.path} {name}={json.dumps(value)[:60]}")


@pytest.mark.parametrize("hint", [{"host": 5}, {"workspace": []}, {"host": "x" * 300}, {"rooms": "x"}, {"room": 5}])
def test_a_hint_of_a_wrong_kind_is_named_too(client, hint):
    answer = client.call("whoami", **hint)
    require_ours(answer, next(iter(hint)), {}, str(hint))


def test_a_member_of_a_list_is_named_as_the_caller_wrote_it(client, harbour):
    targets = [{"plate": 5}, 7, {"who": 1}, {}, "\u200b", {"plate": "a", "human": "b"}]

    answer = client.call("send_message", room=harbour.pk, body="Hello", mention_targets=targets)

    assert answer.error["fields"] == {
        "mention_targets[0].plate": "must be text",
        "mention_targets[1]": "must be text or an object",
        "mention_targets[2].who": "unknown member; allowed: plate, human, session",
        "mention_targets[3]": "give either plate or human",
        "mention_targets[4]": "must have visible text",
        "mention_targets[5]": "give either plate or human",
    }


def test_an_unknown_argument_is_told_what_there_is_and_never_echoed(client):
    answer = client.call("renew_lease", **{"task_id": ulid(), "s3cret <b>": "s3cret"})

    assert answer.error["fields"] == {"field": "unknown argument; allowed: task_id, instance_id, fence"}
    assert b"s3cret" not in answer.raw


def test_a_body_that_is_no_json_is_refused_in_our_words(client):
    raw = client.call_raw("whoami", b'{"a": nope}').raw

    assert b"must be JSON" in raw
    assert b"Expecting" not in raw


def forms() -> Iterator[type[ToolInput]]:
    waiting = list(ToolInput.__subclasses__())
    while waiting:
        waiting.extend((form := waiting.pop()).__subclasses__())
        yield form


@pytest.mark.parametrize("form", sorted(forms(), key=lambda form: form.__qualname__), ids=lambda form: form.__name__)
@pytest.mark.parametrize("text", ["zzz", "", "x" * 100_000, "99999999999999999999", "1.5", "\u200b"])
def test_what_a_person_types_is_refused_in_our_words_too(form, text):
    """As the forms of the browser read it: everything is text, and numbers are made of it."""
    given = {name: [text] if "list" in str(field.annotation) else text for name, field in form.model_fields.items()}
    try:
        form.model_validate(given, strict=False)
    except ValidationError as error:
        for problem in refusals.problems(form, error, given):
            assert not [phrase for phrase in FOREIGN if phrase in problem.text], problem
            assert problem.text != "cannot be used here", problem
            assert problem.place.partition("[")[0] in {*form.model_fields, "arguments"}


def sound(model: type[ToolInput]) -> dict[str, Any]:
    """The required arguments, as they should be."""
    given = {}
    schema = input_schema(model)
    for name in schema.get("required", []):
        one = schema["properties"][name]
        given[name] = one["enum"][0] if "enum" in one else {"string": "0" * 26, "integer": 1}[one["type"]]
    return given


def is_allowed(model: type[ToolInput], name: str, value: Any) -> bool:
    """Whether the field takes this value after all: no list is too long for a field without a limit."""
    try:
        model.model_validate_json(json.dumps({**sound(model), name: value}))
    except ValidationError:
        return False
    return True


def queried(schema: dict[str, Any]) -> Iterator[Any]:
    """What a query can hold is text, some of it more than once."""
    if schema["type"] == "integer":
        yield from ("abc", "1.5", "", "9999999999999999999", "-1")
    elif schema["type"] == "boolean":
        yield "perhaps"
    elif schema["type"] == "array":
        yield from (["x" * 300], ["\u200b"])
    else:
        yield "x" * 1000
        yield "\u200b"
    if "enum" in schema:
        yield "zzz"
