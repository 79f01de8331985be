"""The model: one room, its tasks and what the rulings say of every act. Plain data, whole minutes, no cleverness."""

from __future__ import annotations

from dataclasses import dataclass, field

LEASE, NO_PROGRESS, UNTAKEN, LIVE = 10, 60, 30, 5
CLOSED = {"done", "failed", "cancelled"}
OWNERS = {"scout": "ada", "forge": "ada", "quill": "grace"}
ADMIN = "ada"

# (from, to): who may, through set_status.
MOVES = {
    ("doing", "todo"): {"holder"},
    ("doing", "blocked"): {"holder"},
    ("doing", "failed"): {"holder"},
    ("doing", "cancelled"): {"holder", "creator", "human"},
    ("todo", "cancelled"): {"assignee", "creator", "human"},
    ("blocked", "cancelled"): {"assignee", "creator", "human"},
    ("todo", "blocked"): {"assignee"},
    ("blocked", "doing"): {"holder"},
    ("blocked", "failed"): {"assignee"},
    ("blocked", "todo"): {"assignee", "owner", "human"},
    ("failed", "todo"): {"assignee", "owner", "human"},
    ("cancelled", "todo"): {"owner", "human"},
}


class Refused(Exception):
    """The code an act is refused with."""


@dataclass
class Task:
    name: str
    creator: str
    assignee: str | None
    deps: list[str]
    status: str = "todo"
    fence: int = 0
    holder: str = ""
    lease_ends: int | None = None
    progress: int | None = None
    waits_since: int | None = None
    generation: int = 0
    archived: bool = False
    holds: list[tuple[int, str, str]] = field(default_factory=list)


@dataclass
class Room:
    now: int = 0
    trust: dict[str, bool] = field(default_factory=lambda: {"ada": False, "grace": False})
    tasks: dict[str, Task] = field(default_factory=dict)
    rings: dict[str, list[str]] = field(default_factory=lambda: {agent: [] for agent in OWNERS})
    seen: dict[str, int] = field(default_factory=dict)
    spoke: dict[str, int] = field(default_factory=dict)

    # What is asked of it.

    def unmet(self, task: Task) -> list[str]:
        return [name for name in task.deps if self.tasks[name].status != "done"]

    def is_stale(self, task: Task) -> bool:
        if task.status == "doing":
            progress = max(task.progress, self.spoke.get(task.assignee, -1000))
            return self.now >= task.lease_ends or self.now >= progress + NO_PROGRESS
        if task.status == "todo" and task.assignee and not self.unmet(task):
            gone = self.seen.get(task.assignee, -1000) + LIVE
            return self.now >= max(task.waits_since + UNTAKEN, gone)
        return False

    # The acts. `who` is an agent with its instance ("scout", "a"), or a person ("ada", None).

    def create(self, who, name, assignee, deps):
        self._grant(who, assignee)
        task = self.tasks[name] = Task(name, who[0], assignee, list(dict.fromkeys(deps)))
        if not self.unmet(task):
            self._ready(task)

    def rewire(self, who, task, deps, fence):
        if not (self._speaks_for_admin(who) or who[0] == task.creator):
            self._stranger(who, task) if who[0] != task.assignee else self._refuse("FORBIDDEN")
        if who[1] is not None or who[0] != ADMIN:
            self._grant(who, task.assignee)
        self._current(who, task, fence, by_right=who[0] == task.creator)
        if task.status in CLOSED:
            self._refuse("CONFLICT")
        deps = list(dict.fromkeys(deps))
        if any(self.tasks[name].archived and name not in task.deps for name in deps):
            self._refuse("VALIDATION")
        if deps != task.deps:
            if task.holder or any(self._reaches(name, task.name) for name in deps):
                self._refuse("CONFLICT")
            waited = bool(self.unmet(task))
            task.deps = deps
            if waited and not self.unmet(task):
                self._ready(task)

    def claim(self, who, task):
        if task.assignee not in (None, who[0]):
            return "not_assigned"
        if task.status == "doing":
            return "already_claimed"
        if task.status != "todo":
            self._refuse("CONFLICT")
        if self.unmet(task):
            return "blocked_by_deps"
        if task.assignee is None:
            task.assignee = who[0]
        task.status, task.fence, task.holder = "doing", task.fence + 1, who[1]
        task.lease_ends, task.progress = self.now + LEASE, self.now
        task.holds.append((task.fence, *who))
        return "claimed"

    def renew(self, who, task, fence):
        self._holding(who, task, fence)
        if not task.holder:
            self._refuse("CONFLICT")
        task.lease_ends = self.now + LEASE

    def release(self, who, task, fence):
        self._holding(who, task, fence)
        if task.status != "doing":
            self._refuse("CONFLICT")
        self._back(task)

    def force_release(self, who, task):
        if not {"human", "owner"} & self._roles(who, task, None):
            self._refuse("FORBIDDEN")
        if task.status != "doing":
            self._refuse("CONFLICT")
        self._back(task)

    def complete(self, who, task, status, fence):
        """Returns the tasks set free. Each close-out here has words of its own, so no call is a repeat."""
        self._holding(who, task, fence)
        if task.status != "doing":
            self._refuse("CONFLICT")
        self._end(task, status)
        freed = []
        if status == "done":
            for other in self.tasks.values():
                if task.name in other.deps and other.status in ("todo", "blocked") and not self.unmet(other):
                    self._ready(other)
                    freed.append(other.name)
        return freed

    def set_status(self, who, task, status, fence):
        if status == "done":
            self._refuse("CONFLICT")
        allowed, mine = MOVES.get((task.status, status), set()), self._roles(who, task, fence)
        if not allowed & mine:
            self._explain(who, task, status, fence, allowed, mine)
        self._current(who, task, fence, by_right="creator" in allowed & mine)
        self._on_board(task)
        before = task.status
        if status == "todo":
            reopened = before != "doing" and who[0] != task.assignee and not self.unmet(task)
            self._back(task, moves_fence=before in ("doing", "blocked"))
            if reopened:
                self._ready(task)
        elif status == "doing":
            task.status, task.lease_ends, task.progress = "doing", self.now + LEASE, self.now
        else:
            self._end(task, status)

    def assign(self, who, task, assignee):
        if who != (ADMIN, None):
            self._refuse("FORBIDDEN")
        if assignee == task.assignee:
            return
        if task.status in ("done", "cancelled"):
            self._refuse("CONFLICT")
        self._grant(who, assignee)
        self._on_board(task)
        self._silence(task)
        task.assignee = assignee
        self._back(task)
        if not self.unmet(task):
            self._ready(task)

    def archive(self, who, task, fence):
        if not {"creator", "human"} & self._roles(who, task, None):
            self._refuse("FORBIDDEN")
        self._fence(task, fence)
        if task.status not in CLOSED:
            self._refuse("CONFLICT")
        task.archived = True

    def unarchive(self, who, task):
        if who != (ADMIN, None):
            self._refuse("FORBIDDEN")
        task.archived = False

    # The rules they share.

    def _refuse(self, code):
        raise Refused(code)

    def _on_board(self, task):
        if task.archived:
            self._refuse("CONFLICT")

    def _speaks_for_admin(self, who):
        return (OWNERS.get(who[0], who[0])) == ADMIN

    def _grant(self, who, assignee):
        if assignee and OWNERS[assignee] != OWNERS.get(who[0], who[0]) and not self.trust[OWNERS[assignee]]:
            self._refuse("NO_GRANT")

    def _roles(self, who, task, fence):
        name, instance = who
        if instance is None:
            owns = task.assignee is not None and OWNERS[task.assignee] == name
            found = {"human": name == ADMIN, "owner": owns, "creator": task.creator == name}
        else:
            mine = task.assignee == name
            holds = mine and bool(task.holder) and (task.holder == instance if fence is None else task.fence == fence)
            found = {"assignee": mine, "holder": holds, "creator": task.creator == name}
        return {role for role, is_so in found.items() if is_so}

    def _held_before(self, who, task, instance=None):
        return any(
            fence < task.fence and agent == who[0] and instance in (None, copy) for fence, agent, copy in task.holds
        )

    def _stranger(self, who, task):
        self._refuse("STALE_LEASE" if who[1] is not None and self._held_before(who, task) else "FORBIDDEN")

    def _fence(self, task, fence):
        if fence is not None and fence != task.fence:
            self._refuse("VALIDATION" if fence > task.fence else "STALE_LEASE")

    def _holding(self, who, task, fence):
        if task.assignee != who[0]:
            self._stranger(who, task)
        self._fence(task, fence)
        took = [(agent, copy) for at, agent, copy in task.holds if at == task.fence]
        if took == [who] or (fence is not None and [agent for agent, _ in took] == [who[0]]):
            return
        self._refuse("STALE_LEASE" if fence is None and self._held_before(who, task) else "CONFLICT")

    def _current(self, who, task, fence, *, by_right):
        """An agent that held it before must name the present fence, unless it acts as who created the task."""
        self._fence(task, fence)
        if by_right or who[1] is None or fence is not None:
            return
        mine = task.assignee == who[0]
        own = [at for at, agent, copy in task.holds if agent == who[0] and (not mine or copy == who[1])]
        if own and max(own) < task.fence and not (mine and task.holder == who[1]):
            self._refuse("STALE_LEASE")

    def _explain(self, who, task, status, fence, allowed, mine):
        """Which refusal of set_status it is."""
        if status == "doing" and not (allowed and "assignee" in mine):
            self._refuse("CONFLICT")
        if who[1] is not None and (not mine or {"holder", "assignee"} & allowed):
            if task.assignee != who[0]:
                self._stranger(who, task)
            self._holding(who, task, fence)
            self._refuse("CONFLICT")
        self._current(who, task, fence, by_right="creator" in mine)
        self._refuse("FORBIDDEN" if allowed or not mine else "CONFLICT")

    def _reaches(self, name, goal):
        return name == goal or any(self._reaches(further, goal) for further in self.tasks[name].deps)

    def _ready(self, task):
        task.generation += 1
        task.waits_since = self.now
        if task.assignee:
            self.rings[task.assignee].append(task.name)

    def _silence(self, task):
        if task.assignee:
            self.rings[task.assignee] = [name for name in self.rings[task.assignee] if name != task.name]

    def _back(self, task, *, moves_fence=True):
        task.status, task.holder, task.lease_ends = "todo", "", None
        task.fence += moves_fence
        task.waits_since = self.now

    def _end(self, task, status):
        task.status, task.progress = status, self.now
        if status in CLOSED:
            task.holder, task.lease_ends = "", None
            self._silence(task)
