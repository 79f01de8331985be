"""Rotating the keys that sign passports."""

from __future__ import annotations

from datetime import timedelta

from agentroom.core.audit import Act, append_server
from agentroom.core.clock import db_now
from agentroom.core.limits import PASSPORT
from agentroom.core.operation import operation
from identity import keyring
from identity.actors import SystemActor
from identity.outputs import KeysRotated

# A passport outlives its minting by 15 minutes at most; twice that leaves room for slow clocks.
KEEP = 2 * PASSPORT


@operation
def rotate_keys(actor: SystemActor, *, at_once: bool = False) -> KeysRotated:
    """Sign with a new key from now on. The old one verifies for half an hour more; `at_once`, not one call more."""
    now, keep = db_now(), timedelta() if at_once else KEEP
    kid, retired = keyring.rotate(now, keep=keep)
    append_server(
        actor,
        Act(
            act="key.rotate",
            record_kind="key",
            record_id=kid,
            before={"signing": retired},
            after={"signing": [kid], "refused_at_once": at_once},
        ),
    )
    return KeysRotated(kid=kid, retired=retired, refused_after=now + keep)
