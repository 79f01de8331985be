"""What people do to a task beside its text: give it away, take it back, reopen, cancel, put away, reorder."""

from __future__ import annotations

from collections.abc import Iterator
from contextlib import contextmanager

from django.http import HttpRequest, HttpResponse
from django.views.decorators.http import require_POST

from agentroom.board.access import go_back, is_fragment, page
from agentroom.board.detail import task_in
from agentroom.board.seat import seat_in
from agentroom.core.errors import Conflict, StaleLease, Validation
from identity.actors import HumanActor
from tasks.lifecycle import Status
from tasks.operations.archive import archive_task, unarchive_task
from tasks.operations.assign import assign_task
from tasks.operations.release import force_release
from tasks.operations.reorder import reorder_task
from tasks.operations.status import set_status

MOVED = "Somebody moved this task a moment ago, so yours was not done. Look where it is now, and decide again."


@require_POST
@page
def assign(request: HttpRequest, actor: HumanActor, room_id: str, task_id: str) -> HttpResponse:
    """The fence that the person saw guards it: of two who drag one card, the second is told."""
    plate, seen = request.POST.get("assignee", ""), _number(request, "fence")
    with _as_seen():
        assign_task(actor, task_id=_here(actor, room_id, task_id), assignee=plate, fence=seen)
    return _done(request, room_id, task_id)


@require_POST
@page
def place(request: HttpRequest, actor: HumanActor, room_id: str, task_id: str) -> HttpResponse:
    before, seen = request.POST.get("before") or None, _number(request, "revision")
    reorder_task(actor, task_id=_here(actor, room_id, task_id), before=before, expected_revision=seen)
    return _done(request, room_id, task_id)


@require_POST
@page
def release(request: HttpRequest, actor: HumanActor, room_id: str, task_id: str) -> HttpResponse:
    with _as_seen():
        force_release(actor, task_id=_here(actor, room_id, task_id), fence=_number(request, "fence"))
    return _done(request, room_id, task_id)


@require_POST
@page
def reopen(request: HttpRequest, actor: HumanActor, room_id: str, task_id: str) -> HttpResponse:
    with _as_seen():
        set_status(actor, task_id=_here(actor, room_id, task_id), status=Status.TODO, fence=_number(request, "fence"))
    return _done(request, room_id, task_id)


@require_POST
@page
def cancel(request: HttpRequest, actor: HumanActor, room_id: str, task_id: str) -> HttpResponse:
    with _as_seen():
        set_status(
            actor, task_id=_here(actor, room_id, task_id), status=Status.CANCELLED, fence=_number(request, "fence")
        )
    return _done(request, room_id, task_id)


@require_POST
@page
def archive(request: HttpRequest, actor: HumanActor, room_id: str, task_id: str) -> HttpResponse:
    with _as_seen():
        archive_task(actor, task_id=_here(actor, room_id, task_id), fence=_number(request, "fence"))
    return _done(request, room_id, task_id)


@require_POST
@page
def unarchive(request: HttpRequest, actor: HumanActor, room_id: str, task_id: str) -> HttpResponse:
    unarchive_task(actor, task_id=_here(actor, room_id, task_id))
    return _done(request, room_id, task_id)


@contextmanager
def _as_seen() -> Iterator[None]:
    """A person does not hold tasks: a fence that has moved on means that somebody else was faster."""
    try:
        yield
    except StaleLease:
        raise Conflict(MOVED) from None


def _here(actor: HumanActor, room_id: str, task_id: str) -> str:
    """The task's id, once it is a task of the room that the address names."""
    return task_in(seat_in(actor, room_id), task_id).pk


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
