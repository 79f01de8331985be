"""Random histories of one room, each act compared with the model: outcome, rows, board, context, inbox (T-02).

`MODEL_EXAMPLES` and `MODEL_STEPS` make it longer. A failure prints the history that replays it.
"""

from __future__ import annotations

import os

import pytest
from hypothesis import HealthCheck, settings
from hypothesis import strategies as st
from hypothesis.stateful import RuleBasedStateMachine, initialize, invariant, rule, run_state_machine_as_test

from agentroom.core import invariants
from rooms.models import Mention
from tasks.models import Task
from tasks.operations.archive import archive_task, unarchive_task
from tasks.operations.assign import assign_task
from tasks.operations.claim import claim_task
from tasks.operations.complete import complete_task
from tasks.operations.create import create_task
from tasks.operations.edit import update_task
from tasks.operations.release import force_release, release_task
from tasks.operations.renew import renew_lease
from tasks.operations.status import set_status
from tests.tasks.model.room import OWNERS
from tests.tasks.model.world import AGENTS, ANYBODY, PEOPLE, How, World

EXAMPLES = int(os.environ.get("MODEL_EXAMPLES", "150"))
STEPS = int(os.environ.get("MODEL_STEPS", "30"))

# What happens next, by weight; one rule draws it, so that no history lacks half of the verbs.
VERBS = [
    *["claim", "complete"] * 4,
    *["set_status"] * 3,
    *["create", "rewire", "renew_or_release"] * 2,
    *["assign", "archive", "a_person_steps_in", "something_else", "time_passes"],
]
# Most acts are done by somebody who may, so that histories come to something; some by who held the task before.
MANNERS = ["fit", "fit", "fit", "late", "any"]
# No fence, the present one, the one before it, one that was never reached.
FENCES = [None, None, 0, -1, 1]


class Life(RuleBasedStateMachine):
    @initialize()
    def begin(self):
        self.world, self.count = World(), 0
        self.world.trust("grace", True)
        self.make(("scout", "a"), "forge", [])
        self.make(("scout", "a"), "quill", ["t0"])
        self.make(("ada", None), None, [])

    def teardown(self):
        if hasattr(self, "world"):
            self.world.close()

    @invariant()
    def every_surface_agrees(self):
        if hasattr(self, "world"):
            self.world.compare()

    @rule(data=st.data())
    def something_happens(self, data):
        self.draw = lambda choices: data.draw(st.sampled_from(choices))
        getattr(self, self.draw(VERBS))()

    def how(self, crowd):
        name = self.draw(sorted(self.world.model.tasks))
        return How(name, self.draw(crowd), crowd, self.draw(MANNERS), self.draw(FENCES))

    def some_tasks(self):
        names = sorted(self.world.model.tasks)
        return [self.draw(names) for _ in range(self.draw([0, 1, 1, 2, 3]))]

    def make(self, who, assignee, deps):
        world, name = self.world, f"t{self.count}"
        self.count += 1
        deps = [dep for dep in deps if not world.model.tasks[dep].archived]
        plate = world.agents[assignee].plate if assignee else None

        def made():
            ids = [world.ids[dep] for dep in deps]
            fields = {"title": name, "definition_of_done": "D", "assignee": plate, "depends_on": ids}
            task = create_task(world.actors[who], room=world.room.pk, **fields)
            world.ids[name], world.names[task.task_id] = task.task_id, name

        world.both(lambda: world.model.create(who, name, assignee, deps), made)

    # The verbs.

    def create(self):
        self.make(self.draw(ANYBODY), self.draw([None, *OWNERS]), self.some_tasks())

    def claim(self):
        def claimed(actor, pk, named):
            answer = claim_task(actor, task_id=pk)
            return "claimed" if answer.claimed else answer.reason

        self.world.attempt(self.how(AGENTS), lambda model, who, task, fence: model.claim(who, task), claimed)

    def complete(self):
        self.count += 1
        status, acks = self.draw(["done", "done", "failed", "blocked"]), self.draw([True, False])

        def wanted(model, who, task, fence):
            freed = model.complete(who, task, status, fence)
            if acks:
                model.rings[who[0]] = [name for name in model.rings[who[0]] if name in freed]
            return sorted(freed)

        def completed(actor, pk, named):
            mine = Mention.objects.filter(agent_id=actor.agent_id, acked_at=None, cancelled_at=None)
            text = {"summary": str(self.count), "handoff_notes": f"notes {self.count}\r\n"}
            acked = list(mine.values_list("pk", flat=True)) if acks else []
            answer = complete_task(actor, task_id=pk, status=status, ack_ids=acked, **text, **named)
            return sorted(self.world.names[one.task_id] for one in answer.unblocked)

        self.world.attempt(self.how(AGENTS), wanted, completed)

    def set_status(self):
        status = self.draw(["todo", "doing", "blocked", "failed", "cancelled", "done"])
        self.world.attempt(
            self.how(ANYBODY),
            lambda model, who, task, fence: model.set_status(who, task, status, fence),
            lambda actor, pk, named: _done(set_status(actor, task_id=pk, status=status, reason="R", **named)),
        )

    def renew_or_release(self):
        verb, operation = self.draw([("renew", renew_lease), ("release", release_task)])
        self.world.attempt(
            self.how(AGENTS),
            lambda model, who, task, fence: getattr(model, verb)(who, task, fence),
            lambda actor, pk, named: _done(operation(actor, task_id=pk, **named)),
        )

    def rewire(self):
        deps = self.some_tasks()
        ids = [self.world.ids[dep] for dep in deps]
        self.world.attempt(
            self.how(ANYBODY),
            lambda model, who, task, fence: model.rewire(who, task, deps, fence),
            lambda actor, pk, named: _done(update_task(actor, task_id=pk, depends_on=ids, **named)),
        )

    def assign(self):
        assignee = self.draw(sorted(OWNERS))
        plate = self.world.agents[assignee].plate
        self.world.attempt(
            self.how(PEOPLE),
            lambda model, who, task, fence: model.assign(who, task, assignee),
            lambda actor, pk, named: _done(assign_task(actor, task_id=pk, assignee=plate)),
        )

    def a_person_steps_in(self):
        verb, operation = self.draw([("force_release", force_release), ("unarchive", unarchive_task)])
        self.world.attempt(
            self.how(PEOPLE),
            lambda model, who, task, fence: getattr(model, verb)(who, task),
            lambda actor, pk, named: _done(operation(actor, task_id=pk)),
        )

    def archive(self):
        self.world.attempt(
            self.how(ANYBODY),
            lambda model, who, task, fence: model.archive(who, task, fence),
            lambda actor, pk, named: _done(archive_task(actor, task_id=pk, **named)),
        )

    def something_else(self):
        who = self.draw(AGENTS)
        what = self.draw(["trust", "distrust", "call", "message"])
        if what == "call":
            self.world.call(who[0])
        elif what == "message":
            self.world.speak(who)
        else:
            self.world.trust(OWNERS[who[0]], what == "trust")

    def time_passes(self):
        self.world.wait(self.draw([1, 7, 10, 31, 31, 61]))


def _done(answer):
    """An answer whose content is compared on the surfaces, not here."""
    assert answer is not None


@pytest.mark.django_db
def test_every_history_goes_as_the_model_says():
    run_state_machine_as_test(
        Life,
        settings=settings(
            max_examples=EXAMPLES,
            stateful_step_count=STEPS,
            deadline=None,
            database=None,
            print_blob=True,
            suppress_health_check=list(HealthCheck),
        ),
    )
    assert not Task.objects.exists()
    assert list(invariants.findings()) == []
