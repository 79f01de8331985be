"""Passports whose signature has been checked before, by digest, so that a busy agent is not verified every call.

Only the signature is remembered. Whether the agent, credential, account and key still stand is read on every call.
"""

from __future__ import annotations

import threading
import time
from collections import OrderedDict

from agentroom.core.digest import sha256_hex
from identity import passports
from identity.passports import Verified

REMEMBERED = 4096

_lock = threading.Lock()
_known: OrderedDict[str, Verified] = OrderedDict()


def claims_of(token: str, *, resource: str) -> Verified:
    """As `passports.verify`. A token has one canonical spelling, so its digest names it (F14)."""
    digest = sha256_hex(token.encode(errors="replace"))
    found = _remembered(digest)
    if found is None:
        found = passports.verify(token, resource=resource)
        _remember(digest, found)
    if found.claims.resource != resource:
        raise passports.invalid()
    return found


def forget() -> None:
    """Verify every passport anew; for tests that reset the database."""
    with _lock:
        _known.clear()


def _remembered(digest: str) -> Verified | None:
    with _lock:
        found = _known.pop(digest, None)
        if found is None or found.expires <= time.time():
            return None
        _known[digest] = found
        return found


def _remember(digest: str, verified: Verified) -> None:
    with _lock:
        _known[digest] = verified
        while len(_known) > REMEMBERED:
            _known.popitem(last=False)
