"""What must always hold about rooms: counters, history, mentions and the audit chains."""

from __future__ import annotations

from collections.abc import Iterator

from django.db.models import Count, F, Max, Min, OuterRef, Subquery

from agentroom.core import invariants
from agentroom.core.audit import first_broken
from agentroom.core.models import AuditChain, AuditRow, ChangeFeed
from rooms.models import AgentMember, Member, Mention, MentionKind, Message, Notebook, Room

BATCH = 2000


def seq_without_gaps() -> Iterator[str]:
    """Messages of a room are numbered without gaps up to the room's counter; pruning takes from the oldest only."""
    spans = Message.objects.values("room_id", "room__message_seq").annotate(
        count=Count("pk"), first=Min("seq"), last=Max("seq")
    )
    for span in spans.order_by("room_id"):
        if span["last"] != span["room__message_seq"] or span["count"] != span["last"] - span["first"] + 1:
            yield (
                f"room {span['room_id']} has {span['count']} messages from {span['first']} to {span['last']}, "
                f"its counter says {span['room__message_seq']}"
            )


def mentions_are_listed() -> Iterator[str]:
    """Every mention of a message stands in the structured targets of that message."""
    rows = Mention.objects.filter(kind=MentionKind.MESSAGE).values_list(
        "pk", "agent__plate", "owner_id", "message__targets"
    )
    for mention_id, plate, owner_id, targets in rows.order_by("pk").iterator(chunk_size=BATCH):
        wanted = {"plate": plate} if plate else {"human": owner_id}
        if not any(wanted.items() <= target.items() for target in targets or []):
            yield f"mention {mention_id} is not among the targets of its message"


def chains_hold() -> Iterator[str]:
    """Each audit chain is unbroken and ends at the head its counter names."""
    heads = {room_id: (seq, head) for room_id, seq, head in Room.objects.values_list("pk", "audit_seq", "audit_head")}
    heads |= {name: (seq, head) for name, seq, head in AuditChain.objects.values_list("name", "seq", "head")}
    last = AuditRow.objects.filter(chain=OuterRef("chain")).order_by("-seq")
    ends = AuditRow.objects.values("chain").annotate(last=Max("seq"), end=Subquery(last.values("hash")[:1]))
    found = {row["chain"]: (row["last"], row["end"]) for row in ends.order_by("chain")}
    for chain, (seq, head) in heads.items():
        if found.get(chain, (0, head)) != (seq, head):
            yield f"chain {chain} does not end at its head, row {seq}"
    for chain in found:
        if (broken := first_broken(chain)) is not None:
            yield f"chain {chain} breaks at row {broken}"


def counters_lead() -> Iterator[str]:
    """No record carries a number that its counter has not reached."""
    yield from _ahead("change feed of room", Room.objects.annotate(most=_most_fed()), "feed_seq")
    for label, members, key in (("agent", AgentMember.objects, "agent_id"), ("person", Member.objects, "owner_id")):
        most = (
            Mention.objects.filter(room_id=OuterRef("room_id"), **{key: OuterRef(key)})
            .order_by("-seq")
            .values("seq")[:1]
        )
        yield from _ahead(f"mentions of {label} membership", members.annotate(most=Subquery(most)), "mention_seq")
    for room_id, version, classes in Room.objects.values_list("pk", "context_version", "context_classes"):
        if any(at > version for at in classes.values()):
            yield f"room {room_id} has a context class beyond its version {version}"


def rooms_are_whole() -> Iterator[str]:
    """Every room has its notebook and at least one admin."""
    for room_id in Room.objects.exclude(pk__in=Notebook.objects.values("pk")).values_list("pk", flat=True):
        yield f"room {room_id} has no notebook"
    admins = Member.objects.filter(role="admin", left_at=None).values("room_id")
    for room_id in Room.objects.exclude(pk__in=admins).values_list("pk", flat=True):
        yield f"room {room_id} has no admin"


def _most_fed() -> Subquery:
    return Subquery(ChangeFeed.objects.filter(room_id=OuterRef("pk")).order_by("-seq").values("seq")[:1])


def _ahead(label: str, rows: object, counter: str) -> Iterator[str]:
    for row in rows.filter(most__gt=F(counter)):  # type: ignore[attr-defined]
        yield f"{label} {row.pk} has number {row.most}, its counter says {getattr(row, counter)}"


invariants.register("I-10 message numbers", seq_without_gaps)
invariants.register("I-13 mentions are listed", mentions_are_listed)
invariants.register("I-39 audit chains", chains_hold)
invariants.register("F1 counters lead", counters_lead)
invariants.register("rooms are whole", rooms_are_whole)
