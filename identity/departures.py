"""Who must know, in the same transaction, when an account or an agent ends.

The apps above register here what they have to put right: a room loses a member, a queue its target. Their steps run
first, because they lock rooms and rooms come first in the lock order.
"""

from __future__ import annotations

from collections.abc import Callable

from identity.actors import AnyActor

# step(actor, id of the owner or of the agent)
Step = Callable[[AnyActor, str], None]

_owner_steps: list[Step] = []
_agent_steps: list[Step] = []


def register(*, owner: Step | None = None, agent: Step | None = None) -> None:
    """Called in an app's `AppConfig.ready()`; each step runs inside the operation that ends the account or agent."""
    if owner is not None and owner not in _owner_steps:
        _owner_steps.append(owner)
    if agent is not None and agent not in _agent_steps:
        _agent_steps.append(agent)


def owner_departs(actor: AnyActor, owner_id: str) -> None:
    for step in _owner_steps:
        step(actor, owner_id)


def agent_departs(actor: AnyActor, agent_id: str) -> None:
    for step in _agent_steps:
        step(actor, agent_id)
