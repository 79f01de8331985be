"""What core needs to know of whoever acts; identity provides the two real kinds."""

from __future__ import annotations

from typing import Protocol


class Actor(Protocol):
    """`key` names the actor in receipts, audit rows and rate windows; `request_id` ties rows to one request."""

    @property
    def kind(self) -> str: ...

    @property
    def key(self) -> str: ...

    @property
    def request_id(self) -> str: ...
