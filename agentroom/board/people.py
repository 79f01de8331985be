"""Names for the keys under which audit rows and sessions know who acted."""

from __future__ import annotations

from collections.abc import Iterable

from identity.models import Agent, Owner
from rooms.handles import alias_of, alias_of_person


def names_of(keys: Iterable[str]) -> dict[str, str]:
    """`agent:<plate>` and `human:<id>` as people know them, in two statements."""
    known = [key.partition(":")[::2] for key in keys]
    agents = Agent.objects.filter(plate__in=[name for kind, name in known if kind == "agent"]).select_related("owner")
    people = Owner.objects.filter(pk__in=[name for kind, name in known if kind == "human"])
    found = {f"agent:{agent.plate}": alias_of(agent) for agent in agents}
    return found | {f"human:{person.pk}": alias_of_person(person) for person in people}
