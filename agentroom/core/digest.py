"""Canonical JSON and SHA-256: one byte form for everything that is compared, chained or approved."""

from __future__ import annotations

import hashlib
import json
from typing import Any

GENESIS = "0" * 64


def canonical(value: Any) -> bytes:
    """Sorted keys, no spaces, UTF-8. The value must be JSON already (no floats that are not finite)."""
    return json.dumps(value, sort_keys=True, ensure_ascii=False, separators=(",", ":"), allow_nan=False).encode()


def sha256_hex(data: bytes) -> str:
    return hashlib.sha256(data).hexdigest()


def digest_of(value: Any) -> str:
    """Hex SHA-256 of the canonical form."""
    return sha256_hex(canonical(value))
