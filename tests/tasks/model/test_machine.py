"""Random histories of one room, each act compared with the model: outcome, rows, board, context, inbox (T-02).

`MODEL_EXAMPLES` and `MODEL_STEPS` make it longer. A failure prints the history that replays it.
"""

from __future__ import annotations

import os
from contextlib import ExitStack
from datetime import timedelta

import pytest
from django.db import transaction
from hypothesis import HealthCheck, Phase, settings
from hypothesis import strategies as st
from hypothesis.stateful import (
    Bundle,
    RuleBasedStateMachine,
    initialize,
    invariant,
    multiple,
    rule,
    run_state_machine_as_test,
)

from agentroom.core import invariants
from agentroom.core.clock import db_now, shifted
from agentroom.core.errors import PublicError
from identity.models import Instance
from rooms.models import Mention
from rooms.operations.messages import send_message
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
from tests import factories
from tests.tasks.model import surfaces
from tests.tasks.model.room import OWNERS, Refused, Room

EXAMPLES = int(os.environ.get("MODEL_EXAMPLES", "150"))
STEPS = int(os.environ.get("MODEL_STEPS", "30"))

agents = st.tuples(st.sampled_from(sorted(OWNERS)), st.sampled_from(["a", "b"]))
people = st.tuples(st.sampled_from(["ada", "grace"]), st.none())
anybody = st.one_of(agents, agents, people)
# None, the present fence, the one before it, and one that was never reached.
fences = st.sampled_from([None, None, None, 0, -1, 1])
ends = st.sampled_from(["done", "done", "failed", "blocked"])


class Life(RuleBasedStateMachine):
    tasks = Bundle("tasks")

    @initialize()
    def begin(self):
        self.exit = ExitStack()
        # Each history has its own savepoint; to the operations it looks like the test's own transaction.
        block = transaction.atomic()
        block._from_testcase = True
        self.exit.enter_context(block)
        self.model, self.count, self.turn, self.changed, self.names = Room(), 0, 0, False, {}
        owners = {name: factories.make_owner(name) for name in ("ada", "grace")}
        self.agents = {name: factories.make_agent(owners[owner], name) for name, owner in OWNERS.items()}
        self.room = factories.make_room("Harbour", admin=owners["ada"])
        factories.make_member(self.room, owners["grace"])
        self.owners = owners
        self.actors = {(name, None): factories.human_of(owner) for name, owner in owners.items()}
        for name, agent in self.agents.items():
            factories.make_member(self.room, agent)
            for copy in ("a", "b"):
                self.actors[name, copy] = factories.actor_of(agent, instance_id=copy)

    def teardown(self):
        if hasattr(self, "exit"):
            transaction.set_rollback(True)
            self.exit.close()

    # One act, on both sides.

    def act(self, wanted, done):
        """Run `done` on the product and `wanted` on the model: same answer, or refused with the same code."""
        try:
            expected = wanted()
        except Refused as refused:
            expected = refused.args[0]
        try:
            answer = done()
            self.changed = True
        except PublicError as refused:
            answer = refused.code
        assert answer == expected
        return answer

    def on(self, name, who, fence=None):
        """The task in the model, its id, the actor, and a fence as far from the present one as `fence` says."""
        task = self.model.tasks[name]
        named = {} if fence is None or task.fence + fence < 0 else {"fence": task.fence + fence}
        pk = next(pk for pk, known in self.names.items() if known == name)
        return task, pk, self.actors[who], named

    @rule(target=tasks, who=anybody, assignee=st.sampled_from([None, *OWNERS]), deps=st.lists(tasks, max_size=3))
    def create(self, who, assignee, deps):
        name = f"t{self.count}"
        self.count += 1
        deps = [dep for dep in deps if not self.model.tasks[dep].archived]
        ids = [pk for dep in deps for pk, known in self.names.items() if known == dep]
        plate = self.agents[assignee].plate if assignee else None

        def made():
            task = create_task(
                self.actors[who], room=self.room.pk, title=name, definition_of_done="D", assignee=plate, depends_on=ids
            )
            self.names[task.task_id] = name

        answer = self.act(lambda: self.model.create(who, name, assignee, deps), made)
        return name if answer is None else multiple()

    @rule(who=agents, name=tasks)
    def claim(self, who, name):
        task, pk, actor, _ = self.on(name, who)

        def claimed():
            answer = claim_task(actor, task_id=pk)
            return "claimed" if answer.claimed else answer.reason

        self.act(lambda: self.model.claim(who, task), claimed)

    @rule(who=agents, name=tasks, fence=fences)
    def renew(self, who, name, fence):
        task, pk, actor, named = self.on(name, who, fence)
        self.act(
            lambda: self.model.renew(who, task, named.get("fence")),
            lambda: _done(renew_lease(actor, task_id=pk, **named)),
        )

    @rule(who=agents, name=tasks, fence=fences)
    def release(self, who, name, fence):
        task, pk, actor, named = self.on(name, who, fence)
        self.act(
            lambda: self.model.release(who, task, named.get("fence")),
            lambda: _done(release_task(actor, task_id=pk, **named)),
        )

    @rule(who=people, name=tasks)
    def force_release(self, who, name):
        task, pk, actor, _ = self.on(name, who)
        self.act(lambda: self.model.force_release(who, task), lambda: _done(force_release(actor, task_id=pk)))

    @rule(
        who=agents,
        name=tasks,
        status=st.sampled_from(["done", "done", "failed", "blocked"]),
        fence=fences,
        acks=st.booleans(),
    )
    def complete(self, who, name, status, fence, acks):
        task, pk, actor, named = self.on(name, who, fence)
        self.count += 1
        mine = Mention.objects.filter(agent=self.agents[who[0]], acked_at=None, cancelled_at=None)
        ack_ids = list(mine.values_list("pk", flat=True)) if acks else []

        def wanted():
            freed = self.model.complete(who, task, status, named.get("fence"))
            if acks:
                self.model.rings[who[0]] = [name for name in self.model.rings[who[0]] if name in freed]
            return sorted(freed)

        def completed():
            notes = f"notes {self.count}\r\n"
            answer = complete_task(
                actor, task_id=pk, status=status, summary=str(self.count), handoff_notes=notes, ack_ids=ack_ids, **named
            )
            return sorted(self.names[one.task_id] for one in answer.unblocked)

        self.act(wanted, completed)

    @rule(
        who=anybody,
        name=tasks,
        status=st.sampled_from(["todo", "doing", "blocked", "done", "failed", "cancelled"]),
        fence=fences,
    )
    def set_status(self, who, name, status, fence):
        task, pk, actor, named = self.on(name, who, fence)
        self.act(
            lambda: self.model.set_status(who, task, status, named.get("fence")),
            lambda: _done(set_status(actor, task_id=pk, status=status, reason="R", **named)),
        )

    @rule(who=anybody, name=tasks, deps=st.lists(tasks, max_size=3), fence=fences)
    def rewire(self, who, name, deps, fence):
        task, pk, actor, named = self.on(name, who, fence)
        ids = [pk for dep in deps for pk, known in self.names.items() if known == dep]
        self.act(
            lambda: self.model.rewire(who, task, deps, named.get("fence")),
            lambda: _done(update_task(actor, task_id=pk, depends_on=ids, **named)),
        )

    @rule(who=people, name=tasks, assignee=st.sampled_from(sorted(OWNERS)))
    def assign(self, who, name, assignee):
        task, pk, actor, _ = self.on(name, who)
        plate = self.agents[assignee].plate
        self.act(
            lambda: self.model.assign(who, task, assignee),
            lambda: _done(assign_task(actor, task_id=pk, assignee=plate)),
        )

    @rule(who=anybody, name=tasks, fence=fences)
    def archive(self, who, name, fence):
        task, pk, actor, named = self.on(name, who, fence)
        self.act(
            lambda: self.model.archive(who, task, named.get("fence")),
            lambda: _done(archive_task(actor, task_id=pk, **named)),
        )

    @rule(who=people, name=tasks)
    def unarchive(self, who, name):
        task, pk, actor, _ = self.on(name, who)
        self.act(lambda: self.model.unarchive(who, task), lambda: _done(unarchive_task(actor, task_id=pk)))

    @rule(owner=st.sampled_from(["ada", "grace"]), on=st.booleans())
    def trust(self, owner, on):
        self.model.trust[owner] = on
        factories.set_trust(self.room, self.owners[owner], on)

    @rule(minutes=st.sampled_from([1, 7, 10, 31, 61]))
    def time_passes(self, minutes):
        self.model.now += minutes
        self.changed = True
        self.exit.enter_context(shifted(timedelta(minutes=minutes)))

    @rule(agent=st.sampled_from(sorted(OWNERS)))
    def agent_calls(self, agent):
        self.model.seen[agent] = self.model.now
        self.changed = True
        Instance.objects.filter(agent=self.agents[agent]).update(last_seen_at=db_now())

    @rule(who=agents)
    def agent_speaks(self, who):
        self.model.spoke[who[0]] = self.model.now
        self.changed = True
        send_message(self.actors[who], room=self.room.pk, body="Still here.")

    # After every step the rows; after every step that may have changed something, every surface.

    @invariant()
    def every_surface_agrees(self):
        if not hasattr(self, "model"):
            return
        assert surfaces.rows(self.names) == surfaces.wanted_rows(self.model)
        if not self.changed:
            return
        self.changed = False
        reader = self.actors["quill", "a"]
        aliases = {None: None, **{name: f"@{name}({owner})" for name, owner in OWNERS.items()}}
        assert surfaces.board(reader, self.room.pk, self.names) == surfaces.wanted_board(self.model, aliases)
        assert surfaces.late(reader, self.room, self.names) == surfaces.wanted_late(self.model)
        assert surfaces.rings(self.agents, self.names) == self.model.rings
        # Context is the dearest read, so each agent's comes round every third step.
        self.turn = (self.turn + 1) % len(OWNERS)
        name = sorted(OWNERS)[self.turn]
        mine = surfaces.context(self.actors[name, "a"], self.room.pk, self.names)
        assert mine == surfaces.wanted_context(self.model, name)


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
            phases=[Phase.generate] if os.environ.get("MODEL_NO_SHRINK") else list(Phase),
            suppress_health_check=list(HealthCheck),
        ),
    )
    assert not Task.objects.exists()
    assert list(invariants.findings()) == []
