"""Identifiers: sortable ULIDs, plates and error ids. None of them is authority (00-product.md, "Ids")."""

from __future__ import annotations

import os
import secrets
import time

from django.conf import settings

ALPHABET = "0123456789ABCDEFGHJKMNPQRSTVWXYZ"  # Crockford base32
ULID_LENGTH = 26
PLATE_SUFFIX_LENGTH = 8


def ulid() -> str:
    """A 26-character ULID: 48 bits of milliseconds, 80 random bits. Sortable, but never a cursor (F1)."""
    value = (int(time.time() * 1000) << 80) | int.from_bytes(os.urandom(10), "big")
    return "".join(ALPHABET[(value >> shift) & 31] for shift in range(125, -1, -5))


def plate() -> str:
    """A new public agent id: the configured prefix and 8 characters of Crockford base32."""
    return settings.PLATE_PREFIX + "".join(secrets.choice(ALPHABET) for _ in range(PLATE_SUFFIX_LENGTH))


def error_id() -> str:
    return f"err_{ulid()}"


def request_id() -> str:
    return f"req_{ulid()}"
