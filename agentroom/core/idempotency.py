"""Repeats with one key: the first answer again, or a conflict when the content differs (I-12)."""

from __future__ import annotations

from typing import Any

from pydantic_core import to_jsonable_python

from agentroom.core.actor import Actor
from agentroom.core.clock import DbNow
from agentroom.core.digest import digest_of
from agentroom.core.errors import Conflict
from agentroom.core.models import IdempotentReceipt


class Receipt:
    """The receipt of one keyed call, opened as the first statement of its transaction.

    Opening inserts the row; a concurrent call with the same key waits for that insert, then reads its answer.
    """

    def __init__(self, actor: Actor, operation: str, key: str, arguments: dict[str, Any]) -> None:
        digest = digest_of(to_jsonable_python(arguments))
        self._row = _opened({"actor_key": actor.key, "operation": operation, "key": key}, digest)
        if self._row.digest != digest:
            raise Conflict(
                "This idempotency_key was used before with other content. "
                "Use a new key for a new request, or repeat the old one unchanged.",
                fields={"idempotency_key": "already used with other content"},
            )

    @property
    def answer(self) -> Any | None:
        """The stored answer, or None when this call is the first."""
        return self._row.answer

    def keep(self, answer: dict[str, Any]) -> None:
        IdempotentReceipt.objects.filter(pk=self._row.pk).update(answer=answer)


def _opened(which: dict[str, str], digest: str) -> IdempotentReceipt:
    """The receipt of that name, made unless it is there. One that is cleared away between the two is made anew."""
    row = None
    while row is None:
        fresh = IdempotentReceipt(**which, digest=digest, created_at=DbNow())
        IdempotentReceipt.objects.bulk_create([fresh], ignore_conflicts=True)
        row = IdempotentReceipt.objects.filter(**which).first()
    return row
