"""What people do to a task beside its text: give it away, take it back, reopen, cancel, put away, reorder."""

from __future__ import annotations

from collections.abc import Iterator
from contextlib import contextmanager

from django.http import HttpRequest, HttpResponse
from django.views.decorators.http import require_POST

from agentroom.board.access import go_back, is_fragment, page
from agentroom.board.detail import task_in
from agentroom.board.seat import seat_in
from agentroom.core.errors import Conflict, Overtaken, StaleLease, Validation
from identity.actors import HumanActor
from tasks.lifecycle import Status
from tasks.models import Task
from tasks.operations.archive import archive_task, unarchive_task
from tasks.operations.assign import assign_task
from tasks.operations.release import force_release
from tasks.operations.reorder import reorder_task
from tasks.operations.status import set_status

MOVED = "Somebody moved this task a moment ago, so yours was not done. Look where it is now, and decide again."
NEIGHBOUR = "The card above which you put this one has just left the lane. Look where things are, and drag it again."
BY_NOW = "Somebody was faster: this task is {} by now, so yours was not done. Look at it again, and decide."


@require_POST
@page
def assign(request: HttpRequest, actor: HumanActor, room_id: str, task_id: str) -> HttpResponse:
    """The fence that the person saw guards it: of two who drag one card, the second is told."""
    plate, seen = request.POST.get("assignee", ""), _number(request, "fence")
    with _task(actor, room_id, task_id) as task:
        assign_task(actor, task_id=task.pk, assignee=plate, fence=seen)
    return _done(request, room_id, task_id)


@require_POST
@page
def place(request: HttpRequest, actor: HumanActor, room_id: str, task_id: str) -> HttpResponse:
    before, seen = request.POST.get("before") or None, _number(request, "revision")
    with _task(actor, room_id, task_id) as task:
        try:
            reorder_task(actor, task_id=task.pk, before=before, expected_revision=seen)
        except Conflict as error:
            raise Overtaken(error.message) from None
        except Validation:
            raise Overtaken(NEIGHBOUR) from None
    return _done(request, room_id, task_id)


@require_POST
@page
def release(request: HttpRequest, actor: HumanActor, room_id: str, task_id: str) -> HttpResponse:
    with _task(actor, room_id, task_id) as task:
        force_release(actor, task_id=task.pk, fence=_number(request, "fence"))
    return _done(request, room_id, task_id)


@require_POST
@page
def reopen(request: HttpRequest, actor: HumanActor, room_id: str, task_id: str) -> HttpResponse:
    with _task(actor, room_id, task_id) as task:
        set_status(actor, task_id=task.pk, status=Status.TODO, fence=_number(request, "fence"))
    return _done(request, room_id, task_id)


@require_POST
@page
def cancel(request: HttpRequest, actor: HumanActor, room_id: str, task_id: str) -> HttpResponse:
    with _task(actor, room_id, task_id) as task:
        set_status(actor, task_id=task.pk, status=Status.CANCELLED, fence=_number(request, "fence"))
    return _done(request, room_id, task_id)


@require_POST
@page
def archive(request: HttpRequest, actor: HumanActor, room_id: str, task_id: str) -> HttpResponse:
    with _task(actor, room_id, task_id) as task:
        archive_task(actor, task_id=task.pk, fence=_number(request, "fence"))
    return _done(request, room_id, task_id)


@require_POST
@page
def unarchive(request: HttpRequest, actor: HumanActor, room_id: str, task_id: str) -> HttpResponse:
    with _task(actor, room_id, task_id) as task:
        unarchive_task(actor, task_id=task.pk)
    return _done(request, room_id, task_id)


@contextmanager
def _task(actor: HumanActor, room_id: str, task_id: str) -> Iterator[Task]:
    """A task of the room that the address names, and in a person's words what stands against a change of it.

    Pages offer only what can be done, and a person holds no task: whatever the state of one does not allow was
    allowed when the page was read.
    """
    seat = seat_in(actor, room_id)
    try:
        yield task_in(seat, task_id)
    except Overtaken:
        raise
    except StaleLease:
        raise Overtaken(MOVED) from None
    except Conflict:
        task = task_in(seat, task_id)
        raise Overtaken(BY_NOW.format("in the archive" if task.archived_at else task.status)) from None


def _done(request: HttpRequest, room_id: str, task_id: str) -> HttpResponse:
    """The page pulls what changed; without a script the form's own page comes again."""
    if is_fragment(request):
        return HttpResponse(status=204, headers={"HX-Trigger": "changed"})
    return go_back(request, f"/rooms/{room_id}/tasks/{task_id}")


def _number(request: HttpRequest, name: str) -> int | None:
    text = request.POST.get(name) or request.GET.get(name) or ""
    if not text:
        return None
    if not (text.isascii() and text.isdigit() and len(text) < 10):
        raise Validation(f"{name} must be a number.", fields={name: "must be a number"})
    return int(text)
