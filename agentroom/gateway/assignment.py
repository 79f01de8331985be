"""`POST /v1/rooms/<room>/tasks/<task_id>/assign`: for people only, whatever credential an agent may hold (seed 001)."""

from __future__ import annotations

from typing import Any, cast

from django.http import HttpResponse
from rest_framework.authentication import SessionAuthentication
from rest_framework.exceptions import PermissionDenied
from rest_framework.request import Request

from agentroom.core import ratelimit
from agentroom.core.errors import Forbidden, IdentityRequired
from agentroom.core.inputs import Fence, ToolInput
from agentroom.core.limits import Bucket
from agentroom.gateway.aliases import placed
from agentroom.gateway.arguments import validated
from agentroom.gateway.dispatch import Reply
from agentroom.gateway.exceptions import respond
from agentroom.gateway.rest import JsonView, bearer_of, body_of
from identity.actors import HumanActor
from identity.authentication import authenticate, v1_resource
from identity.sessions import human_of
from tasks.inputs import Plate
from tasks.operations.assign import assign_task
from tasks.outputs import TaskView

PATH = "rooms/{room}/tasks/{task_id}/assign"


class Assign(ToolInput):
    """`fence` guards the change: of two people who reassign at once, the second is told."""

    assignee: Plate
    fence: Fence | None = None


class PersonAuthentication(SessionAuthentication):
    """A signed-in browser, with its CSRF token. An agent is recognised, and sent away."""

    def authenticate(self, request: Request) -> tuple[HumanActor, HumanActor]:
        if "Authorization" in request.headers:
            authenticate(bearer_of(request), resource=v1_resource())
            raise Forbidden("Tasks are assigned by people only. Ask an admin of the room to do it on the board.")
        try:
            found = super().authenticate(request)
        except PermissionDenied as error:
            raise Forbidden("The request lacks its CSRF token. Send the cookie's token as X-CSRFToken.") from error
        if found is None:
            raise IdentityRequired("Sign in on the board first: tasks are assigned by people only.")
        actor = human_of(request._request)
        return actor, actor

    def authenticate_header(self, request: Request) -> str:
        return "Session"


class AssignView(JsonView):
    http_method_names = ["post"]
    authentication_classes = (PersonAuthentication,)

    def post(self, request: Request, room: str, task_id: str) -> HttpResponse:
        actor = cast(HumanActor, request.auth)
        ratelimit.hit(actor.key, Bucket.WRITE)
        given = validated("assign", Assign, body_of(request))
        where = placed({"room": room, "task_id": task_id}, has_room=False)
        task: TaskView = assign_task(actor, task_id=where["task_id"], assignee=given.assignee, fence=given.fence)
        return respond(Reply(True, 200, task.wire()), request._request)


def described() -> dict[str, Any]:
    """What OpenAPI says of it beyond the parts every operation has."""
    return {
        "operationId": "assign",
        "summary": "Give a task to another agent",
        "description": (
            "For signed-in people who may administer the room; an agent's credential is always refused. The task goes "
            "back to todo, its fence grows, and its old holder's writes are stale. Across owners the new assignee's "
            "owner must have Trust on in the room."
        ),
        "security": [{"session": [], "csrf": []}],
    }
