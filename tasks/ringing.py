"""The doorbell: a task that becomes ready rings its assignee once, and stops ringing when it is over (I-07)."""

from __future__ import annotations

from collections.abc import Iterable, Sequence
from dataclasses import dataclass, field, replace
from datetime import datetime
from typing import Any

from django.db.models import Model

from agentroom.core.prepared import Ask, Prepared
from identity.actors import Actor
from rooms import inbox
from rooms.bells import Place, Target, bells, trust_of
from rooms.models import AgentMember, Mention, MentionKind, Room
from rooms.wakes.decide import Outcome
from tasks.models import Task
from tasks.outputs import Unblocked

Places = dict[str, Place]

# What an unblock owes to an agent whose owner has turned Trust off (00-product.md, "Trust").
SKIPPED = "skipped(trust_off)"


@dataclass(frozen=True, slots=True)
class Rings:
    """Mentions by task, not yet stored, and the memberships whose numbers moved: for the ledger's one write."""

    by_task: dict[str, Mention] = field(default_factory=dict)
    members: dict[int, Model] = field(default_factory=dict)

    @property
    def rows(self) -> list[Model]:
        return list(self.by_task.values())

    @property
    def changed(self) -> list[tuple[Model, Sequence[str]]]:
        return [(member, ["mention_seq"]) for member in self.members.values()]


def ring(
    room: Room,
    author: Actor,
    now: datetime,
    tasks: Sequence[Task],
    kind: MentionKind,
    places: Places | None = None,
) -> Rings:
    """Ring the assignee of each task for its present `ready_generation`; who has left the room is not rung.

    `places` of the assignees, by agent, where they were read already.
    """
    rings, places = Rings(), _places(room, tasks) if places is None else dict(places)
    for task in tasks:
        place = places.get(task.assignee_id or "")
        if task.assignee is None or place is None:
            continue
        rung = bells(
            room,
            now,
            [Target(agent=task.assignee, place=place)],
            author=author,
            source=f"task:{task.pk}:{task.ready_generation}",
            excerpt=task.title,
            kind=kind,
            message=None,
            task_id=task.pk,
        )
        rings.by_task[task.pk] = rung.mentions[0]
        rings.members[place.member_id] = rung.members[0]
        # The next task of the same agent takes the number behind this one.
        places[task.assignee.pk] = replace(place, mention_seq=place.mention_seq + 1)
    return rings


def unblocked(task: Task, mention: Mention | None) -> Unblocked:
    """What ringing for a task that was set free came to."""
    if task.assignee is None or mention is None:
        return Unblocked(task_id=task.pk, assignee=task.assignee.plate if task.assignee else None)
    outcome = SKIPPED if mention.outcome == Outcome.BLOCKED_BY_TRUST else mention.outcome
    return Unblocked(task_id=task.pk, assignee=task.assignee.plate, mention_id=mention.pk, outcome=outcome)


def silencing(task: Task, now: datetime) -> list[Ask]:
    """What takes all that still rings for the task out of its assignee's inbox. Messages about it stay."""
    if task.assignee_id is None:
        return []
    return [inbox.cancelling_for_task(now, agent_id=task.assignee_id, task_id=task.pk)]


def asking_places(room: Room, prerequisite: Task) -> Ask:
    """The places of the agents whose tasks wait for `prerequisite`, for `ring`."""
    return _PLACES_BEHIND.asking(room_id=room.pk, task_id=prerequisite.pk).then(_by_agent)


def _places(room: Room, tasks: Sequence[Task]) -> Places:
    agents = {task.assignee_id for task in tasks if task.assignee_id}
    if len(agents) == 1:
        rows = _PLACE.rows(room_id=room.pk, agent_id=agents.pop())
    else:
        rows = list(_members(room.pk).filter(agent_id__in=agents)) if agents else []
    return _by_agent(rows)


def _by_agent(rows: Iterable[Any]) -> Places:
    return {agent_id: Place(member_id, seq, trusts) for agent_id, member_id, seq, trusts in rows}


def _members(room_id: str) -> Any:
    members = AgentMember.objects.filter(room_id=room_id, left_at=None)
    return members.annotate(trusts=trust_of(room_id)).values_list("agent_id", "pk", "mention_seq", "trusts")


_PLACES_BEHIND = Prepared(
    lambda room_id, task_id: _members(room_id).filter(
        agent_id__in=Task.objects.filter(dependencies__prerequisite_id=task_id).values("assignee_id")
    )
)
# Nearly every ring is for one agent.
_PLACE = Prepared(lambda room_id, agent_id: _members(room_id).filter(agent_id=agent_id))
