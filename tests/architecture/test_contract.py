"""Each tool's input and its operation say the same, and migrations say what the models say."""

from __future__ import annotations

import inspect
import typing

import pytest
from django.core.management import call_command

from agentroom.core.contract import registry

TOOLS = list(registry.tools())


@pytest.mark.parametrize("tool", TOOLS, ids=lambda tool: tool.name)
def test_the_fields_of_a_tool_s_input_are_the_keywords_of_its_operation(tool):
    actor, *keywords = inspect.signature(tool.operation).parameters.values()
    assert actor.kind is not inspect.Parameter.KEYWORD_ONLY
    assert all(keyword.kind is inspect.Parameter.KEYWORD_ONLY for keyword in keywords)
    assert {keyword.name for keyword in keywords} == set(tool.input.model_fields)


@pytest.mark.parametrize("tool", TOOLS, ids=lambda tool: tool.name)
def test_a_tool_gives_what_its_operation_returns(tool):
    returned = typing.get_type_hints(inspect.unwrap(tool.operation))["return"]
    given = typing.get_args(returned) or (returned,)
    assert all(isinstance(kind, type) and issubclass(kind, tool.output) for kind in given)


@pytest.mark.parametrize("tool", TOOLS, ids=lambda tool: tool.name)
def test_an_argument_that_may_be_left_out_has_the_same_default_in_input_and_operation(tool):
    parameters = inspect.signature(tool.operation).parameters
    for name, field in tool.input.model_fields.items():
        default = parameters[name].default
        if field.is_required():
            continue
        assert default is not inspect.Parameter.empty, f"{name} has no default in the operation"
        assert default == field.get_default(call_default_factory=True), name


def test_no_tool_s_name_is_declared_twice():
    names = [record.name for record in registry.records()]
    assert len(names) == len(set(names))


@pytest.mark.django_db
def test_no_model_differs_from_its_migrations():
    call_command("makemigrations", "--check", "--dry-run", verbosity=0)
