"""PostgreSQL through its pool, minus the connections a restarted server left behind."""

from __future__ import annotations
