"""`@operation`: one change, one function, one durable transaction.

Lock order, for the whole code base: idempotency receipt → room (rooms by id) → tasks by id → direct dependents by
id → decisions → session queues → outbox → server audit chain. Every room-scoped write locks its room row first, so
within one room all writes are already in a line and the rest of the order is a second fence.
"""

from __future__ import annotations

import functools
import inspect
import random
import threading
import time
from collections.abc import Callable, Iterator
from contextlib import contextmanager
from typing import Any, TypeVar, get_type_hints

from django.db import OperationalError, connection, transaction

from agentroom.core.idempotency import Receipt
from agentroom.core.outputs import Output
from agentroom.core.replays import require_access

TRIES = 3
# PostgreSQL: serialization_failure, deadlock_detected. Anything else is not cured by running again.
RETRYABLE_STATES = frozenset({"40001", "40P01"})

# SQLite's own busy handler is an unfair back-off; a plain lock makes writers wait in turn (running.md 3).
_sqlite_writers = threading.Lock()

Function = TypeVar("Function", bound=Callable[..., Any])


def operation(function: Function) -> Function:
    """Run `function(actor, **arguments)` in exactly one durable transaction.

    Deadlocks and serialization failures are tried again, at most three times in all. When the function takes an
    `idempotency_key` and the caller gives one, its Output is stored and replayed in that same transaction.
    """
    keyed = "idempotency_key" in inspect.signature(function).parameters

    @functools.wraps(function)
    def run(actor: Any, **arguments: Any) -> Any:
        key = arguments.get("idempotency_key")
        for attempt in range(1, TRIES + 1):
            try:
                with _in_turn(), transaction.atomic(durable=True):
                    if keyed and key is not None:
                        return _once(function, actor, key, arguments)
                    return function(actor, **arguments)
            except OperationalError as error:
                if attempt == TRIES or _state_of(error) not in RETRYABLE_STATES:
                    raise
                time.sleep(random.uniform(0.005, 0.03) * attempt)  # noqa: S311 - jitter, not a secret
        raise AssertionError("unreachable: the last try returns or raises")

    run.is_operation = True  # type: ignore[attr-defined]
    return run  # type: ignore[return-value]


@contextmanager
def _in_turn() -> Iterator[None]:
    # Inside a test's own transaction the write lock of SQLite is held already; the thread is the only writer.
    if connection.vendor != "sqlite" or connection.in_atomic_block:
        yield
        return
    with _sqlite_writers:
        yield


def _once(function: Callable[..., Any], actor: Any, key: str, arguments: dict[str, Any]) -> Any:
    content = {name: value for name, value in arguments.items() if name != "idempotency_key" and value is not None}
    receipt = Receipt(actor, function.__name__, key, content)
    output_type: type[Output] = get_type_hints(function)["return"]
    if receipt.answer is not None:
        require_access(actor, content, receipt.answer)
        return output_type.model_validate(receipt.answer)
    output: Output = function(actor, **arguments)
    receipt.keep(output.wire())
    return output


def _state_of(error: OperationalError) -> str | None:
    return getattr(error.__cause__, "sqlstate", None)
