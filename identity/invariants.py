"""What must always hold about people, agents and credentials."""

from __future__ import annotations

from collections.abc import Iterator

from django.db.models import Count, F, Q

from agentroom.core import invariants
from identity.models import Agent, Credential, Instance, Owner, SigningKey
from identity.names import name_key

BATCH = 2000


def ended_means_ended() -> Iterator[str]:
    """No credential outlives its agent, no agent its deleted owner, and nobody deleted may sign in."""
    for pk in Credential.objects.filter(revoked_at=None, agent__revoked_at__isnull=False).values_list("pk", flat=True):
        yield f"credential {pk} is live although its agent is revoked"
    for plate in Agent.objects.filter(revoked_at=None, owner__deleted_at__isnull=False).values_list("plate", flat=True):
        yield f"agent {plate} is live although its owner's account is deleted"
    for pk in Owner.objects.filter(deleted_at__isnull=False, is_active=True).values_list("pk", flat=True):
        yield f"account {pk} is deleted but active"


def instances_belong() -> Iterator[str]:
    """Each credential has one default instance, and each instance's credential is its own agent's."""
    defaults = Count("instances", filter=Q(instances__is_default=True))
    for pk in Credential.objects.annotate(defaults=defaults).exclude(defaults=1).values_list("pk", flat=True):
        yield f"credential {pk} has not exactly one default instance"
    strays = Instance.objects.exclude(credential=None).exclude(credential__agent=F("agent"))
    for number in strays.values_list("pk", flat=True):
        yield f"instance {number} belongs to one agent and its credential to another"


def keys_follow_names() -> Iterator[str]:
    """What is unique is computed from what is shown."""
    for pk, handle, key in Owner.objects.values_list("pk", "handle", "handle_key").iterator(chunk_size=BATCH):
        if name_key(handle) != key:
            yield f"account {pk} is found under another handle than it shows"
    for plate, name, key in Agent.objects.values_list("plate", "name", "name_key").iterator(chunk_size=BATCH):
        if name_key(name) != key:
            yield f"agent {plate} is found under another name than it shows"


def retired_keys_are_blank() -> Iterator[str]:
    """A signing key that was retired keeps no private half and has an end."""
    retired = SigningKey.objects.filter(retired_at__isnull=False)
    for kid, private, end in retired.values_list("kid", "private_encrypted", "refused_after"):
        if bytes(private) or end is None:
            yield f"key {kid} is retired but keeps its private half or has no end"


invariants.register("AR-6.8 what ended stays ended", ended_means_ended)
invariants.register("AR-1.7 instances belong to their credential", instances_belong)
invariants.register("AR-2.6 names are found under their own key", keys_follow_names)
invariants.register("AR-6.6 retired keys are blank", retired_keys_are_blank)
