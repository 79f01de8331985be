"""The keys that sign passports: the first one, and their rotation."""

from __future__ import annotations

from datetime import timedelta

from agentroom.core.audit import Act, append_server
from agentroom.core.clock import db_now
from agentroom.core.limits import PASSPORT
from agentroom.core.operation import operation
from identity import keyring
from identity.actors import SystemActor
from identity.models import SigningKey
from identity.outputs import KeyReady, KeysRotated

# A passport outlives its minting by 15 minutes at most; twice that leaves room for slow clocks.
KEEP = 2 * PASSPORT


@operation
def make_first_key(actor: SystemActor) -> KeyReady:
    """See to it that a key is there to be published before the first passport is: who verifies may keep the list."""
    is_first = not SigningKey.objects.filter(retired_at=None).exists()
    kid = keyring.signing_key().kid
    if is_first:
        append_server(actor, Act(act="key.make", record_kind="key", record_id=kid, after={"signing": [kid]}))
    return KeyReady(kid=kid)


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
