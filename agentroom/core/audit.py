"""Audit chains: each row carries the hash of the one before it, so that an export can be checked offline."""

from __future__ import annotations

from collections.abc import Iterable
from dataclasses import dataclass, field
from datetime import datetime
from typing import Any

from agentroom.core.actor import Actor
from agentroom.core.clock import db_now, rfc3339
from agentroom.core.digest import GENESIS, digest_of
from agentroom.core.models import AuditChain, AuditRow

SERVER = "server"


@dataclass(frozen=True, slots=True, kw_only=True)
class Act:
    """One audited act: what was done to which record, and the members that changed (states and ids, no content)."""

    act: str
    record_kind: str
    record_id: str
    before: dict[str, Any] = field(default_factory=dict)
    after: dict[str, Any] = field(default_factory=dict)


def chained(chain: str, seq: int, head: str, at: datetime, actor: Actor, acts: Iterable[Act]) -> list[AuditRow]:
    """Unsaved rows that continue `chain` after (`seq`, `head`)."""
    rows: list[AuditRow] = []
    for act in acts:
        seq += 1
        row = AuditRow(
            chain=chain,
            seq=seq,
            at=at,
            actor_kind=actor.kind,
            actor_key=actor.key,
            act=act.act,
            record_kind=act.record_kind,
            record_id=act.record_id,
            before=act.before,
            after=act.after,
            request_id=actor.request_id,
            previous_hash=head,
        )
        row.hash = head = hash_of(row)
        rows.append(row)
    return rows


def hash_of(row: AuditRow) -> str:
    """The hash that `row` must carry: over everything in it, its predecessor's hash included."""
    return digest_of(
        [
            row.chain,
            row.seq,
            rfc3339(row.at),
            row.actor_kind,
            row.actor_key,
            row.act,
            row.record_kind,
            row.record_id,
            row.before,
            row.after,
            row.request_id,
            row.previous_hash,
        ]
    )


def append_server(actor: Actor, *acts: Act) -> None:
    """Append to the server's own chain: sign-in, credentials, accounts. Takes the chain's row lock."""
    if not acts:
        return
    AuditChain.objects.bulk_create([AuditChain(name=SERVER, head=GENESIS)], ignore_conflicts=True)
    chain = AuditChain.objects.select_for_update().get(name=SERVER)
    rows = chained(SERVER, chain.seq, chain.head, db_now(), actor, acts)
    AuditRow.objects.bulk_create(rows)
    AuditChain.objects.filter(name=SERVER).update(seq=rows[-1].seq, head=rows[-1].hash)


def first_broken(chain: str) -> int | None:
    """The seq of the first row of `chain` that does not fit its predecessor, or None when the chain holds."""
    head, expected = GENESIS, 1
    for row in AuditRow.objects.filter(chain=chain).order_by("seq").iterator(chunk_size=1000):
        if row.seq != expected or row.previous_hash != head or row.hash != hash_of(row):
            return expected
        head, expected = row.hash, expected + 1
    return None
