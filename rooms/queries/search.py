"""Text search over everything a room holds that an app lets be searched."""

from __future__ import annotations

from collections.abc import Sequence

from agentroom.core import search
from agentroom.core.pages import fitted
from identity.actors import Actor
from rooms.access import room_for
from rooms.outputs import HitItem, Hits

PAGE = 20


def search_room(
    actor: Actor,
    *,
    room: str,
    query: str,
    kinds: Sequence[str] | None = None,
    after: str | None = None,
    limit: int | None = None,
) -> Hits:
    """One page of findings, kind by kind and newest first within a kind."""
    place = room_for(actor, room)
    page = search.find(place.pk, query, only=list(kinds) if kinds else None, after=after, limit=limit or PAGE)
    shown = fitted(
        [
            HitItem(kind=kind, ref=hit.ref, title=hit.title or None, excerpt=hit.excerpt, at=hit.at)
            for kind, hit in page.hits
        ]
    )
    following = page.next
    if len(shown) < len(page.hits):
        kind, last = page.hits[len(shown) - 1]
        following = f"{kind}:{last.cursor}"
    return Hits(hits=shown, truncated=True if following else None, next=following)
