"""The ten-minute rule: some acts ask that the person proved who they are a moment ago (00-product.md)."""

from __future__ import annotations

from agentroom.core.clock import db_now
from agentroom.core.errors import ReauthenticationRequired
from agentroom.core.limits import FRESH
from identity.actors import HumanActor
from identity.sessions import signed_in


def require_fresh(actor: HumanActor) -> None:
    """Raise `ReauthenticationRequired` unless `actor` signed in or verified again within the last ten minutes.

    Call it at the final check of an operation, after its locks: it reads the stored session anew, so a session that
    was ended or has aged while the operation waited counts as it is now.
    """
    session = signed_in(actor.session_key)
    if session is None or session.owner.pk != actor.owner_id or db_now() - session.verified_at > FRESH:
        raise ReauthenticationRequired(
            "This needs a fresh verification, at most 10 minutes old. Verify again, look at the request once more, "
            "then repeat it. Nothing was changed."
        )
