"""A stored answer is handed out again only to a caller who could still read what it is about."""

from __future__ import annotations

from collections.abc import Callable, Mapping
from typing import Any

# gate(actor, value): raises a public error when the caller may not see what is named.
Gate = Callable[[Any, str], object]

_gates: dict[str, Gate] = {}


def register(name: str, gate: Gate) -> None:
    """`gate` judges whatever an argument or a member of the answer called `name` names."""
    _gates[name] = gate


def require_access(actor: Any, arguments: Mapping[str, Any], answer: Mapping[str, Any]) -> None:
    """Raise what the gate of any named thing raises."""
    for name, gate in _gates.items():
        value = arguments.get(name) or answer.get(name)
        if isinstance(value, str):
            gate(actor, value)
