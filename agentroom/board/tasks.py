"""One task: its page, its menu, and the forms that make and edit it."""

from __future__ import annotations

import secrets
from typing import Annotated, Any

from django.contrib import messages
from django.db.models import Q
from django.http import HttpRequest, HttpResponse
from django.shortcuts import redirect, render
from django.views.decorators.http import require_GET, require_http_methods

from agentroom.board.access import page
from agentroom.board.detail import detail_of, task_in
from agentroom.board.forms import read
from agentroom.board.parts import PARTS, shown
from agentroom.board.refusals import again
from agentroom.board.seat import Seat, seat_in
from agentroom.core import limits
from agentroom.core.errors import Overtaken, PublicError
from agentroom.core.ids import ULID_LENGTH
from agentroom.core.inputs import (
    DefinitionOfDone,
    Detail,
    Id,
    IdempotencyKey,
    Reference,
    Title,
    ToolInput,
    at_most_items,
)
from identity.actors import HumanActor
from rooms.inputs import Plate
from rooms.roster import agents_in
from tasks.lanes import OPEN
from tasks.models import Task
from tasks.operations.create import create_task
from tasks.operations.edit import update_task

DependsOn = Annotated[list[Id], at_most_items(limits.DEPENDENCIES)]


class NewTask(ToolInput):
    title: Title
    definition_of_done: DefinitionOfDone
    detail: Detail | None = None
    assignee: Plate | None = None
    depends_on: DependsOn = []
    spec_ref: Reference | None = None
    idempotency_key: IdempotencyKey | None = None


class TaskEdit(ToolInput):
    """`detail` may be emptied; the other fields left empty stay as they are."""

    title: Title
    definition_of_done: DefinitionOfDone
    detail: Detail = ""
    depends_on: DependsOn = []
    spec_ref: Reference | None = None


@require_http_methods(["GET", "HEAD", "POST"])
@page
def new(request: HttpRequest, actor: HumanActor, room_id: str) -> HttpResponse:
    seat = seat_in(actor, room_id)
    if request.method != "POST":
        return render(request, "board/task_new.html", {**_form(seat, request.GET), "values": request.GET})
    try:
        made = create_task(actor, room=room_id, **read(NewTask, request))
    except PublicError as error:
        return again(request, error, "board/task_new.html", _form(seat, request.POST))
    messages.success(request, f"“{made.title}” is on the board.", extra_tags="clears-new-task")
    return redirect(f"/rooms/{room_id}#task-{made.task_id}")


@require_GET
@page
def detail(request: HttpRequest, actor: HumanActor, room_id: str, task_id: str) -> HttpResponse:
    seat = seat_in(actor, room_id)
    found = detail_of(seat, task_id)
    return render(request, "board/task.html", {"seat": seat, "head": shown(PARTS["head"], seat), "found": found})


@require_GET
@page
def menu(request: HttpRequest, actor: HumanActor, room_id: str, task_id: str) -> HttpResponse:
    """What this person may do with the task, for the menu on its card."""
    seat = seat_in(actor, room_id)
    return render(request, "board/_task_menu.html", {"seat": seat, "found": detail_of(seat, task_id)})


@require_http_methods(["GET", "HEAD", "POST"])
@page
def edit(request: HttpRequest, actor: HumanActor, room_id: str, task_id: str) -> HttpResponse:
    """Edit over what the person has read: a change in between comes back as a conflict, with the draft."""
    seat = seat_in(actor, room_id)
    task = task_in(seat, task_id)
    context = {**_form(seat, request.POST, task), "task": task, "values": _values(task)}
    if request.method != "POST":
        return render(request, "board/task_edit.html", context)
    try:
        _require_seen(request, task)
        update_task(actor, task_id=task_id, expected_revision=task.revision, **read(TaskEdit, request))
    except PublicError as error:
        return again(request, error, "board/task_edit.html", context)
    messages.success(request, "The task is changed.", extra_tags=f"clears-edit-{task_id}")
    return redirect(f"/rooms/{room_id}/tasks/{task_id}")


def _require_seen(request: HttpRequest, task: Task) -> None:
    if request.POST.get("revision") != str(task.revision):
        raise Overtaken(
            "Somebody changed this task while you wrote. Your text is below; what stands now is on the task’s page. "
            "Save again to put yours over it."
        )


def _form(seat: Seat, given: Any, task: Task | None = None) -> dict[str, Any]:
    """The choices of the form, with those ticked that were posted, else those that stand."""
    ticked = given.getlist("depends_on")
    if not given and task is not None:
        ticked = list(task.dependencies.values_list("prerequisite_id", flat=True))
    offered = Q(pk__in=[pk for pk in ticked if len(pk) == ULID_LENGTH]) | OPEN
    others = Task.objects.filter(offered, room=seat.room).exclude(pk=task.pk if task else "")
    return {
        "seat": seat,
        "head": shown(PARTS["head"], seat),
        "agents": [("", "Nobody yet: whoever claims it first")]
        + [(agent.plate, f"{agent.name} ({agent.owner.handle})") for agent in agents_in(seat.room)],
        "others": [
            (pk, title, pk in ticked) for pk, title in others.order_by("order", "pk").values_list("pk", "title")
        ],
        "key": secrets.token_urlsafe(16),
    }


def _values(task: Task) -> dict[str, Any]:
    names = ("title", "definition_of_done", "detail", "spec_ref", "revision")
    return {name: getattr(task, name) for name in names}
