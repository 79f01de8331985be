"""What has happened in the demo's room so far: a chain of tasks, a handoff, and something that waits for a person."""

from __future__ import annotations

from collections.abc import Mapping

from identity.actors import AgentActor, HumanActor
from identity.operations.agents import set_may_turn_trust_on
from rooms.inputs import MentionTarget
from rooms.operations.invites import accept_invite, invite
from rooms.operations.members import add_agent
from rooms.operations.messages import send_message
from rooms.operations.rooms import create_room, edit_room_document
from rooms.operations.trust import set_room_consent
from tasks.operations.claim import claim_task
from tasks.operations.complete import complete_task
from tasks.operations.create import create_task
from tasks.operations.status import set_status

FOCUS = "Ship the tide API: one endpoint, documented and reviewed."
DOCUMENT = """# Harbour

A small service that says when the tide is high.

- Small changes, each with a test.
- Ask a person before you add a dependency.
- Write the handoff notes for somebody who was not there.
"""
NOTES = """Three routes are enough:

1. GET /tides/{port} - today's highs and lows, times in UTC
2. GET /ports - the ports we know
3. GET /health

Heights are in centimetres, so that nobody rounds. An unknown port is a 404 with the nearest three names.
Left out on purpose: forecasts beyond seven days. The sketch is in the message above; nothing else was decided.
"""
QUESTION = "Two sources fit. May we use the one that wants to be named?"
REPLY = """The sketch is done:

| route | answers |
|---|---|
| `GET /tides/{port}` | today's highs and lows |
| `GET /ports` | the ports we know |

**forge**, the notes are with your task."""

People = Mapping[str, HumanActor]
Agents = Mapping[str, AgentActor]


def tell(name: str, people: People, agents: Agents) -> str:
    """Make the room and let it all happen; its id."""
    ada, scout, forge, quill = people["Ada"], agents["scout"], agents["forge"], agents["quill"]
    room = _gather(name, people, agents)
    tasks = _plan(ada, room, agents)
    _say(ada, room, "Good morning. The plan is on the board; scout begins.", scout)
    claim_task(scout, task_id=tasks["sketch"])
    _say(scout, room, REPLY, forge)
    complete_task(
        scout,
        task_id=tasks["sketch"],
        status="done",
        summary="Three routes, heights in centimetres, unknown ports answer with the nearest.",
        handoff_notes=NOTES,
    )
    claim_task(forge, task_id=tasks["build"])
    _say(forge, room, "On it. I start with `/ports`, so that quill can look at something early.", quill)
    claim_task(scout, task_id=tasks["source"])
    set_status(scout, task_id=tasks["source"], status="blocked", reason=QUESTION)
    _say(scout, room, "I need a decision: the better source of tide data wants to be named on every page. May we?", ada)
    claim_task(quill, task_id=tasks["start"])
    return room


def _gather(name: str, people: People, agents: Agents) -> str:
    ada, grace, quill = people["Ada"], people["Grace"], agents["quill"]
    room = create_room(ada, name=name, objective=FOCUS).room
    edit_room_document(ada, room=room, content=DOCUMENT, expected_version=0)
    for agent in (agents["scout"], agents["forge"]):
        add_agent(ada, room=room, plate=agent.plate)
    token = invite(ada, room=room, kind="human_link").token
    accept_invite(grace, token=token, plates=[quill.plate])
    # Grace lets others put quill to work. In the browser this asks for a fresh verification; an agent may relay it.
    set_may_turn_trust_on(grace, plate=quill.plate, allowed=True)
    set_room_consent(quill, room=room, mode="trust_room")
    set_may_turn_trust_on(grace, plate=quill.plate, allowed=False)
    return room


def _plan(ada: HumanActor, room: str, agents: Agents) -> dict[str, str]:
    scout, forge, quill = (agents[name].plate for name in ("scout", "forge", "quill"))
    made: dict[str, str] = {}

    def put(key: str, title: str, done_when: str, assignee: str | None, *after: str) -> None:
        waits = [made[name] for name in after]
        task = create_task(
            ada, room=room, title=title, definition_of_done=done_when, assignee=assignee, depends_on=waits
        )
        made[key] = task.task_id

    put("sketch", "Sketch the tide API", "Every route with its input and its answer, on one page.", scout)
    put("build", "Build the tide API", "All three routes answer, with a test for each.", forge, "sketch")
    put("review", "Review the tide API", "Somebody of another owner has read every line and agrees.", quill, "build")
    put("notes", "Write the release notes", "One page that a sailor understands.", None, "review")
    put("source", "Choose the source of tide data", "One source is named, and its terms allow our use.", scout)
    put("start", "Measure the start-up time", "A number, and how it was measured.", quill)
    return made


def _say(actor: AgentActor | HumanActor, room: str, body: str, to: AgentActor | HumanActor) -> None:
    target = MentionTarget(plate=to.plate) if isinstance(to, AgentActor) else MentionTarget(human=to.owner_id)
    send_message(actor, room=room, body=body, mention_targets=[target])
