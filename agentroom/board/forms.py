"""From a browser's form to validated arguments: the same kinds of text as the tools take, the same refusals."""

from __future__ import annotations

import types
from collections.abc import Iterator
from typing import Annotated, Any, TypeVar, Union, get_args, get_origin

from django.http import HttpRequest, QueryDict
from pydantic import ValidationError

from agentroom.core import guard, refusals
from agentroom.core.errors import Validation
from agentroom.core.inputs import ToolInput

Form = TypeVar("Form", bound=ToolInput)


def read(form: type[Form], request: HttpRequest, **known: str) -> dict[str, Any]:
    """The form's fields as keyword arguments, with those that the address already says.

    Raises `Validation`, naming each field that is not right.
    """
    given = dict(_given(form, request.POST)) | known
    guard.check(given)
    try:
        return form.model_validate(given, strict=False).arguments()
    except ValidationError as error:
        raise _explained(form, error, given) from None


def written(text: str) -> str:
    """Browsers send every line end as CR LF, whatever was typed."""
    return text.replace("\r\n", "\n")


def _given(form: type[ToolInput], posted: QueryDict) -> Iterator[tuple[str, Any]]:
    """What was filled in; an empty box is a field left out, unless emptying it is what it says."""
    for name, field in form.model_fields.items():
        values = [written(value) for value in posted.getlist(name)]
        if _is_list(field.annotation):
            yield name, [value for value in values if value]
        elif values and (values[0] or field.is_required()):
            yield name, values[0]


def _is_list(annotation: Any) -> bool:
    if get_origin(annotation) in {Union, types.UnionType, Annotated}:
        return any(_is_list(part) for part in get_args(annotation))
    return (get_origin(annotation) or annotation) is list


def _explained(form: type[ToolInput], error: ValidationError, given: dict[str, Any]) -> Validation:
    fields: dict[str, str] = {}
    for problem in refusals.problems(form, error, given):
        is_empty = problem.text in {refusals.MISSING, "must have visible text"}
        fields.setdefault(_box(problem.place), "must be filled in" if is_empty else problem.text)
    return Validation("Nothing was stored: look at the fields marked below.", fields=fields)


def _box(place: str) -> str:
    """The box of the form that holds the place."""
    return "form" if place == "arguments" else place.partition("[")[0].partition(".")[0]
